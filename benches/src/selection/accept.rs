//! Accepting by users against batches, and other apps' sends while sends to half a million are accepted one after the other.

use std::time::{Duration, Instant};

use anyhow::ensure;
use hato_testkit::client::Client;
use serde_json::{Value, json};

use super::{FEW, batch, seed::user, to_tags};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary, quantile};
use crate::hato::{BenchServer, ServerData, notification};

const ROUNDS: usize = 7;
/// Users of a send.
const USERS: u64 = 1_000;
/// Sends by users in a row: the kernel tells CPU time in steps of 10 ms.
const SENDS: u64 = 50;
/// How long the other app sends, in each part of a round.
const LOAD_DURATION: Duration = Duration::from_secs(2);

pub async fn measure(
    setup: &DeliverySetup,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    count: u64,
) -> anyhow::Result<()> {
    let hato = data.start_api_only(&[]).await?;
    by_users(setup, &hato, data, options, figures, count).await?;
    beside(setup, &hato, data, options, figures, count).await
}

/// A thousand users against the same subscriptions in ten batches of 100.
async fn by_users(
    setup: &DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    count: u64,
) -> anyhow::Result<()> {
    let client = hato.server.client().bearer(&data.apps[0].key);
    let step = count / USERS;
    let positions: Vec<u64> = (1..=USERS).map(|number| number * step).collect();
    let mut users = notification(None);
    users["to"] = json!({ "user_ids": positions.iter().map(|it| user(*it)).collect::<Vec<_>>() });
    let batches: Vec<Value> = positions
        .chunks(FEW as usize)
        .map(|part| {
            batch(
                part.iter()
                    .map(|position| setup.audience.endpoint(position - 1)),
            )
        })
        .collect();
    let (mut one, mut ten) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        let cpu = hato.cpu_seconds()?;
        for _ in 0..SENDS {
            accept(&client, "/api/v1/notify", &users, USERS).await?;
        }
        let between = hato.cpu_seconds()?;
        for batch in batches.iter().cycle().take(SENDS as usize * batches.len()) {
            accept(&client, "/api/v1/notify/batch", batch, FEW).await?;
        }
        one.push(between - cpu);
        ten.push(hato.cpu_seconds()? - between);
    }
    let ratio = Summary::from_ratios(&one, &ten);
    figures.add(
        "users_1000_over_ten_batches_cpu",
        ratio,
        FigureTarget::AtMost(3.0),
    );
    Ok(())
}

async fn accept(client: &Client, path: &str, body: &Value, recipients: u64) -> anyhow::Result<()> {
    let reply = client.post(path, body).await?;
    let accepted = reply.expect_status(202)?.json();
    ensure!(accepted["queued"] == recipients, "accepted {accepted}");
    Ok(())
}

/// The other app's slowest sends, alone and while the first app sends to half of its subscriptions.
async fn beside(
    setup: &DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    count: u64,
) -> anyhow::Result<()> {
    let large = hato.server.client().bearer(&data.apps[0].key);
    let small = hato.server.client().bearer(&data.apps[1].key);
    let body = notification(Some(&setup.audience.endpoint(count)));
    let (mut alone, mut together, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=options.rounds(ROUNDS) {
        let first = slowest(&small, &body).await?;
        let mut large_sends = 0;
        let sending = async {
            loop {
                accept(&large, "/api/v1/notify", &to_tags("half"), count / 2).await?;
                large_sends += 1;
            }
        };
        let second = tokio::select! {
            failed = sending => return failed,
            slowest = slowest(&small, &body) => slowest?,
        };
        // The first round opens connections and files.
        if round > 0 {
            alone.push(first);
            together.push(second);
            accepted.push(f64::from(large_sends) / LOAD_DURATION.as_secs_f64());
        }
    }
    let ratio = Summary::from_ratios(&together, &alone);
    figures.add(
        "accept_p99_beside_tags_over_alone",
        ratio,
        FigureTarget::AtMost(2.0),
    );
    figures.add(
        "accept_p99_ms",
        Summary::from_values(alone),
        FigureTarget::None,
    );
    figures.add(
        "tag_sends_per_second",
        Summary::from_values(accepted),
        FigureTarget::None,
    );
    Ok(())
}

/// What 99 of 100 sends, one after the other, take at most, in milliseconds.
async fn slowest(client: &Client, body: &Value) -> anyhow::Result<f64> {
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < LOAD_DURATION {
        let asked = Instant::now();
        accept(client, "/api/v1/notify", body, 1).await?;
        times.push(asked.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(quantile(&times, 0.99))
}
