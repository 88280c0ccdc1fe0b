//! One send to everybody: an event for each page of 500, and one for the end.

use anyhow::ensure;

use super::{Rounds, Scene, order};
use crate::Wish;
use crate::delivery::Stage;
use crate::sink::plan::Plan;

/// Many short ones: a machine's speed changes from second to second by more than a webhook costs.
const ROUNDS: usize = 200;
pub const RECIPIENTS: u64 = 20_000;
/// Recipients of a page, as the engine has it.
const PAGE: u64 = 500;

pub async fn rounds(scene: &mut Scene, wish: &Wish, recipients: u64) -> anyhow::Result<Rounds> {
    let mut rounds = Rounds::default();
    for round in 0..=wish.rounds(ROUNDS) {
        let mut pair = [0.0; 2];
        for app in order(round) {
            pair[app] = send(scene, app, recipients).await?;
        }
        rounds.keep(round, pair);
    }
    Ok(rounds)
}

/// CPU seconds of a recipient.
async fn send(scene: &mut Scene, app: usize, recipients: u64) -> anyhow::Result<f64> {
    scene.stage.sink.begin(Plan::plain(recipients)).await?;
    let before = scene.hato.cpu_seconds()?;
    let id = scene.hato.broadcast(&scene.apps[app], recipients).await?;
    scene.stage.sink.reached().await?;
    let item = scene.hato.done(&scene.apps[app], &id).await?;
    ensure!(item["sent_count"] == recipients, "the history says {item}");
    let events = recipients.div_ceil(PAGE) + 1;
    let used = scene.used_since(before, app, (events, recipients)).await?;
    let Stage { sink, audience, .. } = &mut scene.stage;
    let key = &scene.apps[app].vapid_key;
    sink.end_exact(recipients, audience, key).await?;
    Ok(used / recipients as f64)
}
