//! Deliveries per second when each answer takes 50 ms, against answers that take one, and none.

use super::DeliverySetup;
use super::send::send;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::ServerData;

const ROUNDS: usize = 5;
/// So many that a latency at the beginning and one at the end do not matter to a rate.
const MESSAGES: u64 = 200_000;
const LATENCY_MS: u64 = 50;
/// Not 0: the push service has the same processors, and a timer for each answer costs it half as much again.
const NEAR_LATENCY_MS: u64 = 1;

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let messages = options.scaled(MESSAGES);
    let folder = setup.folder.path().join("latency");
    let data = ServerData::prepare(
        folder,
        &setup.audience,
        std::slice::from_ref(&(0..messages)),
    )
    .await?;
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let app = &data.apps[0];
    send(setup, &hato, app, messages, NEAR_LATENCY_MS).await?;
    let (mut at_once, mut near, mut far) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        let candidates = [
            (0, &mut at_once),
            (NEAR_LATENCY_MS, &mut near),
            (LATENCY_MS, &mut far),
        ];
        for (latency_ms, rates) in candidates {
            let cost = send(setup, &hato, app, messages, latency_ms).await?;
            rates.push(messages as f64 / cost.wall);
        }
    }
    figures.add(
        "latency_50ms_rate",
        Summary::from_ratios(&far, &near),
        FigureTarget::AtLeast(0.85),
    );
    let mut show = |name: &str, values| figures.add(name, values, FigureTarget::None);
    show(
        "latency_50ms_over_at_once",
        Summary::from_ratios(&far, &at_once),
    );
    show("per_second_1ms", Summary::from_values(near));
    show("per_second_50ms", Summary::from_values(far));
    Ok(())
}
