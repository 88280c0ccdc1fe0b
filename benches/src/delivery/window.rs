//! One send of Hato's, from its request to the last settlement.

use anyhow::ensure;

use super::Stage;
use crate::hato::{App, Hato};
use crate::sink::plan::Plan;
use crate::sink::tally::now;

/// What a send took.
pub struct Window {
    /// CPU seconds of the server.
    pub cpu: f64,
    /// Seconds from the request to the last answer of the push service.
    pub wall: f64,
}

/// Sends to all of the app's subscribers, so many, each of whom must get one message; counts only then.
pub async fn send(
    stage: &mut Stage,
    hato: &Hato,
    app: &App,
    recipients: u64,
    latency_ms: u64,
) -> anyhow::Result<Window> {
    let plan = Plan {
        latency_ms,
        ..Plan::plain(recipients)
    };
    stage.sink.begin(plan).await?;
    let (cpu, begun) = (hato.cpu_seconds()?, now());
    let id = hato.broadcast(app, recipients).await?;
    let ended = stage.sink.reached().await?;
    let item = hato.done(app, &id).await?;
    let cpu = hato.cpu_seconds()? - cpu;
    ensure!(item["sent_count"] == recipients, "the history says {item}");
    stage
        .sink
        .end_exact(recipients, &stage.audience, &app.vapid_key)
        .await?;
    Ok(Window {
        cpu,
        wall: ended - begun,
    })
}
