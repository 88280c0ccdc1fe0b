//! Deliveries per second while another app sends to a thousand origins that accept connections and stay silent, or that answer after
//! nine seconds; against none beside them.

use std::time::Duration;

use super::DeliverySetup;
use super::send::send;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};
use crate::slow_hosts::{ORIGINS, SlowHosts, Slowness};

const ROUNDS: usize = 5;
const MESSAGES: u64 = 200_000;
/// How long the other app's send goes on before the measured one begins.
const HEAD_START: Duration = Duration::from_secs(3);

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    for slowness in [Slowness::Silent, Slowness::Late] {
        measure_beside(setup, options, figures, slowness).await?;
    }
    Ok(())
}

async fn measure_beside(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
    slowness: Slowness,
) -> anyhow::Result<()> {
    let messages = options.scaled(MESSAGES);
    let folder = setup.folder.path().join(slowness.as_str());
    let slow = SlowHosts::start(setup.folder.path(), slowness).await?;
    let others = messages..messages + ORIGINS as u64;
    let audience = setup.audience.with_elsewhere(others.start, &slow.origins);
    let data = ServerData::prepare(folder, &audience, &[0..messages, others]).await?;
    let hato = start(setup, &data, &slow).await?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for round in 0..=options.rounds(ROUNDS) {
        let rates = round_of(setup, &hato, &data, messages).await?;
        // The first one opens connections and files.
        if round > 0 {
            alone.push(rates.0);
            beside.push(rates.1);
        }
    }
    figures.add(
        &format!("beside_{}_ratio", slowness.as_str()),
        Summary::from_ratios(&beside, &alone),
        FigureTarget::AtLeast(0.9),
    );
    Ok(())
}

/// The rate alone, and the rate beside the other app's send, a second.
async fn round_of(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    messages: u64,
) -> anyhow::Result<(f64, f64)> {
    let (app, other) = (&data.apps[0], &data.apps[1]);
    let alone = send(setup, hato, app, messages, 0).await?;
    let slow = hato.broadcast(other, ORIGINS as u64).await?;
    tokio::time::sleep(HEAD_START).await;
    let beside = send(setup, hato, app, messages, 0).await?;
    hato.cancel(other, &slow).await?;
    Ok((messages as f64 / alone.wall, messages as f64 / beside.wall))
}

/// A server that trusts the sink and the slow origins.
async fn start(
    setup: &DeliverySetup,
    data: &ServerData,
    slow: &SlowHosts,
) -> anyhow::Result<BenchServer> {
    let both = setup.folder.path().join("roots.pem");
    let roots = [&setup.sink.ca, &slow.ca].map(std::fs::read_to_string);
    let [sink, slow] = roots;
    std::fs::write(&both, sink? + &slow?)?;
    let roots = both.to_string_lossy();
    data.start_with_sink(&setup.sink, &[("HATO_OUTBOUND_CA", &roots)])
        .await
}
