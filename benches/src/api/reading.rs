//! CPU of the server for a request that authenticates and reads, against one that does nothing.

use std::time::Duration;

use super::Stage;
use super::load::{Request, load};
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::Data;

const ROUNDS: usize = 7;
const CLIENTS: usize = 8;
const ROUND: Duration = Duration::from_millis(1_000);

pub async fn measure(stage: &Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let path = stage.path("reading");
    let data = Data::prepare(path, &stage.audience, std::slice::from_ref(&(0..10))).await?;
    let hato = data.accept(&[]).await?;
    let nothing = Request::get("/healthz", "");
    let reading = Request::get("/api/v1/vapid-public-key", &data.apps[0].key);
    load(&hato, &reading, CLIENTS, ROUND).await?;
    let (mut nothing_cpu, mut reading_cpu) = (Vec::new(), Vec::new());
    for _ in 0..wish.rounds(ROUNDS) {
        nothing_cpu.push(load(&hato, &nothing, CLIENTS, ROUND).await?.cpu_us());
        reading_cpu.push(load(&hato, &reading, CLIENTS, ROUND).await?.cpu_us());
    }
    let ratio = Span::of_ratios(&reading_cpu, &nothing_cpu);
    figures.add("vapid_key_over_healthz_cpu", ratio, Target::AtMost(6.0));
    figures.add("healthz_cpu_us", Span::of(nothing_cpu), Target::None);
    figures.add("vapid_key_cpu_us", Span::of(reading_cpu), Target::None);
    Ok(())
}
