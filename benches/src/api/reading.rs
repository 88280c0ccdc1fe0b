//! CPU of the server for a request that authenticates and reads, against one that does nothing.

use std::time::Duration;

use super::ApiSetup;
use super::load::{LoadRequest, load};
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::ServerData;

const ROUNDS: usize = 7;
const CLIENTS: usize = 8;
const LOAD_DURATION: Duration = Duration::from_millis(1_000);

pub async fn measure(
    setup: &ApiSetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let path = setup.path("reading");
    let data = ServerData::prepare(path, &setup.audience, std::slice::from_ref(&(0..10))).await?;
    let hato = data.start_api_only(&[]).await?;
    let nothing = LoadRequest::get("/healthz", "");
    let reading = LoadRequest::get("/api/v1/vapid-public-key", &data.apps[0].key);
    load(&hato, &reading, CLIENTS, LOAD_DURATION).await?;
    let (mut nothing_cpu, mut reading_cpu) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        nothing_cpu.push(
            load(&hato, &nothing, CLIENTS, LOAD_DURATION)
                .await?
                .cpu_us(),
        );
        reading_cpu.push(
            load(&hato, &reading, CLIENTS, LOAD_DURATION)
                .await?
                .cpu_us(),
        );
    }
    let ratio = Summary::from_ratios(&reading_cpu, &nothing_cpu);
    figures.add(
        "vapid_key_over_healthz_cpu",
        ratio,
        FigureTarget::AtMost(6.0),
    );
    figures.add(
        "healthz_cpu_us",
        Summary::from_values(nothing_cpu),
        FigureTarget::None,
    );
    figures.add(
        "vapid_key_cpu_us",
        Summary::from_values(reading_cpu),
        FigureTarget::None,
    );
    Ok(())
}
