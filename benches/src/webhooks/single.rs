//! Sends to one recipient each, accepting them included: two events for each, of which nothing is shared.

use std::ops::Range;

use hato_testkit::client::Client;
use tokio::task::JoinSet;

use super::{Rounds, WebhookSetup, app_order};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::hato::notification;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 5;
const SENDS: u64 = 1_000;
/// Requests at a time.
const CONCURRENCY: u64 = 16;

pub async fn rounds(
    setup: &mut WebhookSetup,
    options: &BenchOptions,
    recipients: u64,
) -> anyhow::Result<Rounds> {
    let mut rounds = Rounds::default();
    let sends = SENDS.min(recipients);
    for round in 0..=options.rounds(ROUNDS) {
        let mut pair = [0.0; 2];
        for app in app_order(round) {
            let first = app as u64 * recipients;
            pair[app] = send(setup, app, first..first + sends).await?;
        }
        rounds.keep(round, pair);
    }
    Ok(rounds)
}

/// CPU seconds of a send.
async fn send(setup: &mut WebhookSetup, app: usize, numbers: Range<u64>) -> anyhow::Result<f64> {
    let sends = numbers.end - numbers.start;
    setup
        .delivery
        .sink
        .begin(ResponsePlan::all_created(sends))
        .await?;
    let before = setup.hato.cpu_seconds()?;
    send_all(setup, app, numbers).await?;
    setup.delivery.sink.wait_reached().await?;
    let used = setup.cpu_since(before, app, (2 * sends, sends)).await?;
    let DeliverySetup { sink, audience, .. } = &mut setup.delivery;
    let key = &setup.apps[app].vapid_key;
    sink.end_exact(sends, audience, key).await?;
    Ok(used / sends as f64)
}

async fn send_all(setup: &WebhookSetup, app: usize, numbers: Range<u64>) -> anyhow::Result<()> {
    let client = setup.hato.server.client().bearer(&setup.apps[app].key);
    let mut tasks = JoinSet::new();
    for worker in 0..CONCURRENCY {
        let mine = numbers
            .clone()
            .skip(worker as usize)
            .step_by(CONCURRENCY as usize);
        let endpoints: Vec<_> = mine
            .map(|it| setup.delivery.audience.endpoint(it))
            .collect();
        tasks.spawn(send_each(client.clone(), endpoints));
    }
    tasks.join_all().await.into_iter().collect()
}

async fn send_each(client: Client, endpoints: Vec<String>) -> anyhow::Result<()> {
    for endpoint in endpoints {
        let body = notification(Some(&endpoint));
        let reply = client.post("/api/v1/notify", &body).await?;
        reply.expect_status(202)?;
    }
    Ok(())
}
