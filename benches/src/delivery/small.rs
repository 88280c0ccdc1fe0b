//! How long a send to one recipient takes to reach the push service while another app sends to 200,000.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hato_testkit::client::Client;
use tokio::task::JoinSet;

use super::DeliverySetup;
use crate::BenchOptions;
use crate::audience::BenchAudience;
use crate::figures::{FigureTarget, Figures, Summary, quantile};
use crate::hato::{BenchApp, BenchServer, ServerData, notification};
use crate::sink::check_samples;
use crate::sink::protocol::{ResponsePlan, SinkReport};
use crate::sink::run_state::now;

const ROUNDS: usize = 5;
const RECIPIENTS: u64 = 200_000;
/// Recipients of the small sends of a round, one each.
const SMALL: u64 = 5_000;
/// Between two small sends, whether or not the one before has arrived.
const SEND_INTERVAL: Duration = Duration::from_millis(50);
/// How long after the large send the last small one may arrive.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(3);

/// When a small send was asked for: Unix seconds, by recipient.
type RequestTimes = HashMap<u64, f64>;

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let recipients = options.scaled(RECIPIENTS);
    let folder = setup.folder.path().join("small");
    let ranges = [0..recipients, recipients..recipients + SMALL];
    let data = ServerData::prepare(folder, &setup.audience, &ranges).await?;
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let mut rounds = Vec::new();
    for _ in 0..options.rounds(ROUNDS) {
        rounds.push(round(setup, &hato, &data.apps, recipients).await?);
    }
    let spread = |share| Summary::from_values(rounds.iter().map(|delays| quantile(delays, share)));
    figures.add(
        "small_send_p50_ms",
        spread(0.5),
        FigureTarget::AtMost(250.0),
    );
    figures.add(
        "small_send_p99_ms",
        spread(0.99),
        FigureTarget::AtMost(1_000.0),
    );
    let sends: Vec<f64> = rounds.iter().map(|delays| delays.len() as f64).collect();
    figures.add(
        "small_sends",
        Summary::from_values(sends),
        FigureTarget::None,
    );
    Ok(())
}

/// The delays of a round, sorted, in milliseconds.
async fn round(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    apps: &[BenchApp],
    recipients: u64,
) -> anyhow::Result<Vec<f64>> {
    let plan = ResponsePlan {
        timed_from: recipients,
        ..ResponsePlan::all_created(recipients)
    };
    setup.sink.begin(plan).await?;
    let large = hato.broadcast(&apps[0], recipients).await?;
    let mut small = JoinSet::new();
    let client = hato.server.client().bearer(&apps[1].key);
    tokio::select! {
        reached = setup.sink.wait_reached() => { reached?; }
        () = send_small(&mut small, &client, &setup.audience, recipients) => {}
    }
    let asked: anyhow::Result<RequestTimes> = small.join_all().await.into_iter().collect();
    let asked = asked?;
    hato.wait_done(&apps[0], &large).await?;
    tokio::time::sleep(ARRIVAL_TIMEOUT).await;
    let report = setup.sink.end().await?;
    ensure!(
        report.requests == recipients && report.distinct == recipients && report.unmatched == 0,
        "not all arrived, or others"
    );
    check_samples(&report, &setup.audience, &apps[0].vapid_key)?;
    ensure!(
        report.arrivals.len() == asked.len(),
        "not all small sends arrived in time"
    );
    delays(&asked, &report)
}

/// Asks for small sends, for as long as it is let.
async fn send_small(
    small: &mut JoinSet<anyhow::Result<(u64, f64)>>,
    client: &Client,
    audience: &BenchAudience,
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
        tokio::time::sleep(SEND_INTERVAL).await;
    }
}

fn delays(asked: &RequestTimes, report: &SinkReport) -> anyhow::Result<Vec<f64>> {
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
