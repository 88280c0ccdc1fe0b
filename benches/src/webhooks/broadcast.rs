//! One send to everybody: an event for each page of 500, and one for the end.

use anyhow::ensure;

use super::{Rounds, WebhookSetup, app_order};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::sink::protocol::ResponsePlan;

/// Many short ones: a machine's speed changes from second to second by more than a webhook costs.
const ROUNDS: usize = 200;
pub const RECIPIENTS: u64 = 20_000;
/// Recipients of a page, as the engine has it.
const PAGE: u64 = 500;

pub async fn rounds(
    setup: &mut WebhookSetup,
    options: &BenchOptions,
    recipients: u64,
) -> anyhow::Result<Rounds> {
    let mut rounds = Rounds::default();
    for round in 0..=options.rounds(ROUNDS) {
        let mut pair = [0.0; 2];
        for app in app_order(round) {
            pair[app] = send(setup, app, recipients).await?;
        }
        rounds.keep(round, pair);
    }
    Ok(rounds)
}

/// CPU seconds of a recipient.
async fn send(setup: &mut WebhookSetup, app: usize, recipients: u64) -> anyhow::Result<f64> {
    setup
        .delivery
        .sink
        .begin(ResponsePlan::all_created(recipients))
        .await?;
    let before = setup.hato.cpu_seconds()?;
    let id = setup.hato.broadcast(&setup.apps[app], recipients).await?;
    setup.delivery.sink.wait_reached().await?;
    let item = setup.hato.wait_done(&setup.apps[app], &id).await?;
    ensure!(item["sent_count"] == recipients, "the history says {item}");
    let events = recipients.div_ceil(PAGE) + 1;
    let used = setup.cpu_since(before, app, (events, recipients)).await?;
    let DeliverySetup { sink, audience, .. } = &mut setup.delivery;
    let key = &setup.apps[app].vapid_key;
    sink.end_exact(recipients, audience, key).await?;
    Ok(used / recipients as f64)
}
