//! Sends to one recipient each, accepting them included: two events for each, of which nothing is shared.

use std::ops::Range;

use super::{Rounds, WebhookSetup, app_order};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 5;
const SENDS: u64 = 1_000;

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
    let endpoints = numbers.map(|it| setup.delivery.audience.endpoint(it));
    setup.hato.send_to_each(&setup.apps[app], endpoints).await?;
    setup.delivery.sink.wait_reached().await?;
    let used = setup.cpu_since(before, app, (2 * sends, sends)).await?;
    let DeliverySetup { sink, audience, .. } = &mut setup.delivery;
    let key = &setup.apps[app].vapid_key;
    sink.end_exact(sends, audience, key).await?;
    Ok(used / sends as f64)
}
