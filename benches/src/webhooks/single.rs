//! Sends to one recipient each, accepting them included: two events for each, of which nothing is shared.

use std::ops::Range;

use hato_testkit::client::Client;
use tokio::task::JoinSet;

use super::{Rounds, Scene, order};
use crate::Wish;
use crate::delivery::Stage;
use crate::hato::notification;
use crate::sink::plan::Plan;

const ROUNDS: usize = 5;
const SENDS: u64 = 1_000;
/// Requests at a time.
const AT_ONCE: u64 = 16;

pub async fn rounds(scene: &mut Scene, wish: &Wish, recipients: u64) -> anyhow::Result<Rounds> {
    let mut rounds = Rounds::default();
    let sends = SENDS.min(recipients);
    for round in 0..=wish.rounds(ROUNDS) {
        let mut pair = [0.0; 2];
        for app in order(round) {
            let first = app as u64 * recipients;
            pair[app] = send(scene, app, first..first + sends).await?;
        }
        rounds.keep(round, pair);
    }
    Ok(rounds)
}

/// CPU seconds of a send.
async fn send(scene: &mut Scene, app: usize, numbers: Range<u64>) -> anyhow::Result<f64> {
    let sends = numbers.end - numbers.start;
    scene.stage.sink.begin(Plan::plain(sends)).await?;
    let before = scene.hato.cpu_seconds()?;
    ask(scene, app, numbers).await?;
    scene.stage.sink.reached().await?;
    let used = scene.used_since(before, app, (2 * sends, sends)).await?;
    let Stage { sink, audience, .. } = &mut scene.stage;
    let key = &scene.apps[app].vapid_key;
    sink.end_exact(sends, audience, key).await?;
    Ok(used / sends as f64)
}

async fn ask(scene: &Scene, app: usize, numbers: Range<u64>) -> anyhow::Result<()> {
    let client = scene.hato.server.client().bearer(&scene.apps[app].key);
    let mut asking = JoinSet::new();
    for lane in 0..AT_ONCE {
        let mine = numbers
            .clone()
            .skip(lane as usize)
            .step_by(AT_ONCE as usize);
        let endpoints: Vec<_> = mine.map(|it| scene.stage.audience.endpoint(it)).collect();
        asking.spawn(ask_each(client.clone(), endpoints));
    }
    asking.join_all().await.into_iter().collect()
}

async fn ask_each(client: Client, endpoints: Vec<String>) -> anyhow::Result<()> {
    for endpoint in endpoints {
        let body = notification(Some(&endpoint));
        let reply = client.post("/api/v1/notify", &body).await?;
        reply.expect_status(202)?;
    }
    Ok(())
}
