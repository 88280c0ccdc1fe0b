//! Deliveries per second when each answer takes 50 ms, against answers that take none.

use super::Stage;
use super::window::send;
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::Data;

const ROUNDS: usize = 5;
/// So many that a latency at the beginning and one at the end do not matter to a rate.
const MESSAGES: u64 = 200_000;
const LATENCY_MS: u64 = 50;

pub async fn measure(stage: &mut Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let messages = wish.scaled(MESSAGES);
    let folder = stage.folder.path().join("latency");
    let data = Data::prepare(
        folder,
        &stage.audience,
        std::slice::from_ref(&(0..messages)),
    )
    .await?;
    let hato = data.deliver(&stage.sink, &[]).await?;
    let app = &data.apps[0];
    send(stage, &hato, app, messages, 0).await?;
    let (mut far, mut near) = (Vec::new(), Vec::new());
    for _ in 0..wish.rounds(ROUNDS) {
        near.push(messages as f64 / send(stage, &hato, app, messages, 0).await?.wall);
        far.push(messages as f64 / send(stage, &hato, app, messages, LATENCY_MS).await?.wall);
    }
    figures.add(
        "latency_50ms_rate",
        Span::of_ratios(&far, &near),
        Target::AtLeast(0.85),
    );
    figures.add("per_second_0ms", Span::of(near), Target::None);
    figures.add("per_second_50ms", Span::of(far), Target::None);
    Ok(())
}
