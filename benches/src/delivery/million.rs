//! A send to 1,000,000 against sends to 10,000: memory that does not grow with the audience, and CPU that grows in line.

use super::Stage;
use super::window::send;
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::{App, Data, Hato};
use crate::process::peak_memory;

/// Sends to the few, half of them before the send to the many and half after.
const ROUNDS: usize = 10;
const FEW: u64 = 10_000;
const MANY: u64 = 1_000_000;

pub async fn measure(stage: &mut Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let (few, many) = (wish.scaled(FEW), wish.scaled(MANY));
    let small = data(stage, "few", few).await?;
    let large = data(stage, "many", many).await?;
    let half = wish.rounds(ROUNDS) / 2;
    let (_, few_memory) = send_once(stage, &small, few).await?;
    let hato = small.deliver(&stage.sink, &[]).await?;
    send(stage, &hato, &small.apps[0], few, 0).await?;
    let mut few_costs = costs(stage, &hato, &small.apps[0], few, half).await?;
    let (many_cost, many_memory) = send_once(stage, &large, many).await?;
    few_costs.extend(costs(stage, &hato, &small.apps[0], few, half).await?);
    let growth = Span::single(many_memory - few_memory);
    figures.add("memory_growth_mb", growth, Target::AtMost(64.0));
    figures.add("memory_10k_mb", Span::single(few_memory), Target::None);
    figures.add("memory_1m_mb", Span::single(many_memory), Target::None);
    let linear = Span::of(few_costs.iter().map(|cost| many_cost / cost));
    figures.add("linear_1m", linear, Target::AtMost(1.15));
    figures.add(
        "cpu_us_10k",
        Span::of(few_costs.iter().map(|cost| cost * 1e6)),
        Target::None,
    );
    figures.add("cpu_us_1m", Span::single(many_cost * 1e6), Target::None);
    Ok(())
}

async fn data(stage: &Stage, name: &str, subscribers: u64) -> anyhow::Result<Data> {
    let folder = stage.folder.path().join(name);
    Data::prepare(
        folder,
        &stage.audience,
        std::slice::from_ref(&(0..subscribers)),
    )
    .await
}

/// CPU seconds of a delivery, and the peak memory in MiB, of a server that does nothing else.
async fn send_once(stage: &mut Stage, data: &Data, recipients: u64) -> anyhow::Result<(f64, f64)> {
    let hato = data.deliver(&stage.sink, &[]).await?;
    let window = send(stage, &hato, &data.apps[0], recipients, 0).await?;
    Ok((window.cpu / recipients as f64, peak_memory(hato.id()?)?))
}

async fn costs(
    stage: &mut Stage,
    hato: &Hato,
    app: &App,
    recipients: u64,
    rounds: usize,
) -> anyhow::Result<Vec<f64>> {
    let mut costs = Vec::new();
    for _ in 0..rounds {
        let window = send(stage, hato, app, recipients, 0).await?;
        costs.push(window.cpu / recipients as f64);
    }
    Ok(costs)
}
