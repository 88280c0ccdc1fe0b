//! How long a send to one recipient takes to reach the push service while another app sends to 200,000.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hato_testkit::client::Client;
use tokio::task::JoinSet;

use super::Stage;
use crate::Wish;
use crate::audience::Audience;
use crate::figures::{Figures, Span, Target, quantile};
use crate::hato::{App, Data, Hato, notification};
use crate::sink::check_samples;
use crate::sink::plan::{Plan, Report};
use crate::sink::tally::now;

const ROUNDS: usize = 5;
const RECIPIENTS: u64 = 200_000;
/// Recipients of the small sends of a round, one each.
const SMALL: u64 = 5_000;
/// Between two small sends, whether or not the one before has arrived.
const PAUSE: Duration = Duration::from_millis(50);
/// How long after the large send the last small one may arrive.
const PATIENCE: Duration = Duration::from_secs(3);

/// When a small send was asked for: Unix seconds, by recipient.
type Asked = HashMap<u64, f64>;

pub async fn measure(stage: &mut Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let recipients = wish.scaled(RECIPIENTS);
    let folder = stage.folder.path().join("small");
    let ranges = [0..recipients, recipients..recipients + SMALL];
    let data = Data::prepare(folder, &stage.audience, &ranges).await?;
    let hato = data.deliver(&stage.sink, &[]).await?;
    let mut rounds = Vec::new();
    for _ in 0..wish.rounds(ROUNDS) {
        rounds.push(round(stage, &hato, &data.apps, recipients).await?);
    }
    let spread = |share| Span::of(rounds.iter().map(|delays| quantile(delays, share)));
    figures.add("small_send_p50_ms", spread(0.5), Target::AtMost(250.0));
    figures.add("small_send_p99_ms", spread(0.99), Target::AtMost(1_000.0));
    let sends: Vec<f64> = rounds.iter().map(|delays| delays.len() as f64).collect();
    figures.add("small_sends", Span::of(sends), Target::None);
    Ok(())
}

/// The delays of a round, sorted, in milliseconds.
async fn round(
    stage: &mut Stage,
    hato: &Hato,
    apps: &[App],
    recipients: u64,
) -> anyhow::Result<Vec<f64>> {
    let plan = Plan {
        watched_from: recipients,
        ..Plan::plain(recipients)
    };
    stage.sink.begin(plan).await?;
    let large = hato.broadcast(&apps[0], recipients).await?;
    let mut small = JoinSet::new();
    let client = hato.server.client().bearer(&apps[1].key);
    tokio::select! {
        reached = stage.sink.reached() => { reached?; }
        () = ask(&mut small, &client, &stage.audience, recipients) => {}
    }
    let asked: anyhow::Result<Asked> = small.join_all().await.into_iter().collect();
    let asked = asked?;
    hato.done(&apps[0], &large).await?;
    tokio::time::sleep(PATIENCE).await;
    let report = stage.sink.end().await?;
    ensure!(
        report.requests == recipients && report.distinct == recipients && report.unmatched == 0,
        "not all arrived, or others"
    );
    check_samples(&report, &stage.audience, &apps[0].vapid_key)?;
    ensure!(
        report.arrivals.len() == asked.len(),
        "not all small sends arrived in time"
    );
    delays(&asked, &report)
}

/// Asks for small sends, for as long as it is let.
async fn ask(
    small: &mut JoinSet<anyhow::Result<(u64, f64)>>,
    client: &Client,
    audience: &Audience,
    first: u64,
) {
    for recipient in first..first + SMALL {
        let (client, endpoint) = (client.clone(), audience.endpoint(recipient));
        small.spawn(async move {
            let asked = now();
            let reply = client
                .post("/api/v1/notify", &notification(Some(&endpoint)))
                .await?;
            reply.expect_status(202)?;
            Ok((recipient, asked))
        });
        tokio::time::sleep(PAUSE).await;
    }
}

fn delays(asked: &Asked, report: &Report) -> anyhow::Result<Vec<f64>> {
    let delay = |(recipient, at): &(u64, f64)| {
        let asked = asked
            .get(recipient)
            .context("a send that nobody asked for")?;
        Ok((at - asked) * 1e3)
    };
    let delays: anyhow::Result<Vec<f64>> = report.arrivals.iter().map(delay).collect();
    let mut delays = delays?;
    delays.sort_by(f64::total_cmp);
    Ok(delays)
}
