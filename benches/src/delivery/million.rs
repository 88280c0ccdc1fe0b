//! A send to 1,000,000 against sends to 10,000: memory that does not grow with the audience, and CPU that grows in line.

use super::DeliverySetup;
use super::send::send;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, BenchServer, ServerData};
use crate::process::peak_memory;

/// Sends to the few, half of them before the send to the many and half after.
const ROUNDS: usize = 10;
const FEW: u64 = 10_000;
const MANY: u64 = 1_000_000;

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (few, many) = (options.scaled(FEW), options.scaled(MANY));
    let small = data(setup, "few", few).await?;
    let large = data(setup, "many", many).await?;
    let half = options.rounds(ROUNDS) / 2;
    let (_, few_memory) = send_once(setup, &small, few).await?;
    let hato = small.start_with_sink(&setup.sink, &[]).await?;
    send(setup, &hato, &small.apps[0], few, 0).await?;
    let mut few_costs = costs(setup, &hato, &small.apps[0], few, half).await?;
    let (many_cost, many_memory) = send_once(setup, &large, many).await?;
    few_costs.extend(costs(setup, &hato, &small.apps[0], few, half).await?);
    let growth = Summary::from_value(many_memory - few_memory);
    figures.add("memory_growth_mb", growth, FigureTarget::AtMost(64.0));
    figures.add(
        "memory_10k_mb",
        Summary::from_value(few_memory),
        FigureTarget::None,
    );
    figures.add(
        "memory_1m_mb",
        Summary::from_value(many_memory),
        FigureTarget::None,
    );
    let linear = Summary::from_values(few_costs.iter().map(|cost| many_cost / cost));
    figures.add("linear_1m", linear, FigureTarget::AtMost(1.15));
    figures.add(
        "cpu_us_10k",
        Summary::from_values(few_costs.iter().map(|cost| cost * 1e6)),
        FigureTarget::None,
    );
    figures.add(
        "cpu_us_1m",
        Summary::from_value(many_cost * 1e6),
        FigureTarget::None,
    );
    Ok(())
}

async fn data(setup: &DeliverySetup, name: &str, subscribers: u64) -> anyhow::Result<ServerData> {
    let folder = setup.folder.path().join(name);
    ServerData::prepare(
        folder,
        &setup.audience,
        std::slice::from_ref(&(0..subscribers)),
    )
    .await
}

/// CPU seconds of a delivery, and the peak memory in MiB, of a server that does nothing else.
async fn send_once(
    setup: &mut DeliverySetup,
    data: &ServerData,
    recipients: u64,
) -> anyhow::Result<(f64, f64)> {
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let cost = send(setup, &hato, &data.apps[0], recipients, 0).await?;
    Ok((
        cost.cpu / recipients as f64,
        peak_memory(hato.process_id()?)?,
    ))
}

async fn costs(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    app: &BenchApp,
    recipients: u64,
    rounds: usize,
) -> anyhow::Result<Vec<f64>> {
    let mut costs = Vec::new();
    for _ in 0..rounds {
        let cost = send(setup, hato, app, recipients, 0).await?;
        costs.push(cost.cpu / recipients as f64);
    }
    Ok(costs)
}
