//! One send of Hato's, from its request to the last settlement.

use anyhow::ensure;

use super::DeliverySetup;
use crate::hato::{BenchApp, BenchServer};
use crate::sink::protocol::ResponsePlan;
use crate::sink::run_state::now;

/// What it took to deliver a send.
pub struct SendCost {
    /// What it cost the server, CPU seconds.
    pub cpu: f64,
    /// Seconds from the request to the last answer of the push service.
    pub wall: f64,
}

/// Sends to all of the app's subscribers, so many, each of whom must get one message; counts only then.
pub async fn send(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    app: &BenchApp,
    recipients: u64,
    latency_ms: u64,
) -> anyhow::Result<SendCost> {
    let plan = ResponsePlan {
        latency_ms,
        ..ResponsePlan::all_created(recipients)
    };
    setup.sink.begin(plan).await?;
    let (cpu, started) = (hato.cpu_seconds()?, now());
    let id = hato.broadcast(app, recipients).await?;
    let ended = setup.sink.wait_reached().await?;
    let item = hato.wait_done(app, &id).await?;
    let cpu = hato.cpu_seconds()? - cpu;
    ensure!(item["sent_count"] == recipients, "the history says {item}");
    setup
        .sink
        .end_exact(recipients, &setup.audience, &app.vapid_key)
        .await?;
    Ok(SendCost {
        cpu,
        wall: ended - started,
    })
}
