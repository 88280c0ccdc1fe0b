//! Sends accepted per second: 64 clients against 1.

use std::time::Duration;

use super::load::{LoadRequest, load};
use super::{ApiSetup, commit};
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};

const ROUNDS: usize = 7;
const CLIENTS: usize = 64;
const LOAD_DURATION: Duration = Duration::from_millis(1_500);

/// SQLite with synchronous=FULL on the disk that is there.
pub async fn as_shipped(
    setup: &ApiSetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let data = data(setup, "accept").await?;
    let hato = data.start_api_only(&[]).await?;
    let measured = measure(&hato, &setup.send_to_one(&data.apps[0]), options).await?;
    figures.add(
        "accept_64_over_1",
        measured.gain(),
        FigureTarget::AtLeast(2.5),
    );
    figures.add(
        "accept_per_second_1",
        Summary::from_values(measured.one),
        FigureTarget::None,
    );
    figures.add(
        "accept_per_second_64",
        Summary::from_values(measured.many),
        FigureTarget::None,
    );
    figures.add(
        "accept_cpu_us_1",
        Summary::from_values(measured.one_cpu),
        FigureTarget::None,
    );
    figures.add(
        "accept_cpu_us_64",
        Summary::from_values(measured.many_cpu),
        FigureTarget::None,
    );
    let cost = commit::cost(&setup.path("probe"), None).await?;
    figures.add("commit_ms_as_shipped", cost, FigureTarget::None);
    Ok(())
}

/// The same measurement where each fsync takes at least a millisecond more.
pub async fn with_slow_commits(
    setup: &ApiSetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let delay = commit::build_delay(setup.folder.path()).await?;
    let data = data(setup, "slow").await?;
    let hato = data.start_api_only(&[("LD_PRELOAD", &delay)]).await?;
    let measured = measure(&hato, &setup.send_to_one(&data.apps[0]), options).await?;
    figures.add(
        "accept_64_over_1_slow_commit",
        measured.gain(),
        FigureTarget::AtLeast(8.0),
    );
    figures.add(
        "accept_per_second_1_slow_commit",
        Summary::from_values(measured.one),
        FigureTarget::None,
    );
    figures.add(
        "accept_per_second_64_slow_commit",
        Summary::from_values(measured.many),
        FigureTarget::None,
    );
    let cost = commit::cost(&setup.path("slow-probe"), Some(&delay)).await?;
    figures.add("commit_ms", cost, FigureTarget::AtLeast(1.0));
    Ok(())
}

async fn data(setup: &ApiSetup, name: &str) -> anyhow::Result<ServerData> {
    ServerData::prepare(
        setup.path(name),
        &setup.audience,
        std::slice::from_ref(&(0..10)),
    )
    .await
}

/// Accepted per second, and the CPU of each in microseconds, round by round.
#[derive(Default)]
struct AcceptSamples {
    one: Vec<f64>,
    many: Vec<f64>,
    one_cpu: Vec<f64>,
    many_cpu: Vec<f64>,
}

impl AcceptSamples {
    fn gain(&self) -> Summary {
        Summary::from_ratios(&self.many, &self.one)
    }
}

async fn measure(
    hato: &BenchServer,
    request: &LoadRequest,
    options: &BenchOptions,
) -> anyhow::Result<AcceptSamples> {
    let mut measured = AcceptSamples::default();
    load(hato, request, CLIENTS, LOAD_DURATION / 3).await?;
    for _ in 0..options.rounds(ROUNDS) {
        let one = load(hato, request, 1, LOAD_DURATION).await?;
        let many = load(hato, request, CLIENTS, LOAD_DURATION).await?;
        measured.one.push(one.rate());
        measured.many.push(many.rate());
        measured.one_cpu.push(one.cpu_us());
        measured.many_cpu.push(many.cpu_us());
    }
    Ok(measured)
}
