//! Accepting a broadcast: an app with 1,000,000 subscriptions against one with 10.

use std::time::Duration;

use super::ApiSetup;
use super::load::{LoadRequest, LoadResult, load};
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData, notification};

const ROUNDS: usize = 15;
const FEW: u64 = 10;
const MANY: u64 = 1_000_000;
/// Long enough for the kernel's clock ticks to tell its CPU.
const LOAD_DURATION: Duration = Duration::from_millis(700);

pub async fn measure(
    setup: &ApiSetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let small = prepare(setup, "few", FEW).await?;
    let large = prepare(setup, "many", options.scaled(MANY)).await?;
    let (small_hato, large_hato) = (
        small.start_api_only(&[]).await?,
        large.start_api_only(&[]).await?,
    );
    // Whoever comes second finds the disk as the first has left it, so that changes by the round.
    let mut rounds = Vec::new();
    accept(&small_hato, &small).await?;
    accept(&large_hato, &large).await?;
    for round in 0..options.rounds(ROUNDS) {
        rounds.push(if round % 2 == 0 {
            let few = accept(&small_hato, &small).await?;
            (few, accept(&large_hato, &large).await?)
        } else {
            let many = accept(&large_hato, &large).await?;
            (accept(&small_hato, &small).await?, many)
        });
    }
    let wall = Summary::from_values(rounds.iter().map(|(few, many)| few.rate() / many.rate()));
    let cpu = Summary::from_values(
        rounds
            .iter()
            .map(|(few, many)| many.cpu_us() / few.cpu_us()),
    );
    // The one that says less good of Hato.
    let worse = if (wall.median - 1.0).abs() > (cpu.median - 1.0).abs() {
        wall
    } else {
        cpu
    };
    figures.add("broadcast_1m_over_10", worse, FigureTarget::NearOne(0.2));
    figures.add(
        "broadcast_1m_over_10_wall",
        wall,
        FigureTarget::NearOne(0.2),
    );
    figures.add("broadcast_1m_over_10_cpu", cpu, FigureTarget::NearOne(0.2));
    let few_cpu = Summary::from_values(rounds.iter().map(|(few, _)| few.cpu_us()));
    figures.add("broadcast_cpu_us_10", few_cpu, FigureTarget::None);
    Ok(())
}

async fn prepare(setup: &ApiSetup, name: &str, subscribers: u64) -> anyhow::Result<ServerData> {
    ServerData::prepare(
        setup.path(name),
        &setup.audience,
        std::slice::from_ref(&(0..subscribers)),
    )
    .await
}

async fn accept(hato: &BenchServer, data: &ServerData) -> anyhow::Result<LoadResult> {
    let request = LoadRequest::post("/api/v1/notify", &data.apps[0].key, &notification(None));
    load(hato, &request, 1, LOAD_DURATION).await
}
