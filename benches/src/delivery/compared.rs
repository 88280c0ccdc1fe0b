//! Deliveries per CPU second of the sending process, Hato's whole server against other senders.

use super::Stage;
use super::window::send;
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::{App, Data, Hato};
use crate::sender::{KINDS, Sender};

const ROUNDS: usize = 5;
/// Hato's messages of a round.
const MESSAGES: u64 = 30_000;
/// A sender's messages before the first round.
const WARM_UP: u64 = 300;
/// By how much Hato should be better, in the order of the senders.
const TARGETS: [f64; 4] = [12.0, 6.0, 6.5, 2.5];

pub async fn measure(stage: &mut Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let messages = wish.scaled(MESSAGES);
    let folder = stage.folder.path().join("compared");
    let data = Data::prepare(
        folder,
        &stage.audience,
        std::slice::from_ref(&(0..messages)),
    )
    .await?;
    let hato = data.deliver(&stage.sink, &[]).await?;
    let app = &data.apps[0];
    let mut senders = start_all(stage).await?;
    send(stage, &hato, app, messages, 0).await?;
    let mut costs = vec![Vec::new(); senders.len()];
    let mut own = Vec::new();
    for _ in 0..wish.rounds(ROUNDS) {
        for ((sender, kind), costs) in senders.iter_mut().zip(&KINDS).zip(&mut costs) {
            let messages = wish.scaled(kind.messages);
            costs.push(
                sender
                    .send(messages, &mut stage.sink, &stage.audience)
                    .await?,
            );
        }
        own.push(round(stage, &hato, app, messages).await?);
    }
    let rates: Vec<f64> = own.iter().map(|(_, rate)| *rate).collect();
    let own: Vec<f64> = own.iter().map(|(cost, _)| *cost).collect();
    for ((kind, costs), target) in KINDS.iter().zip(&costs).zip(TARGETS) {
        figures.add_to(
            "ratios",
            kind.name,
            Span::of_ratios(costs, &own),
            Target::AtLeast(target),
        );
        figures.add_to("cpu_us", kind.name, micros(costs), Target::None);
    }
    figures.add_to("cpu_us", "hato", micros(&own), Target::None);
    figures.add("hato_rate", Span::of(rates), Target::None);
    Ok(())
}

async fn start_all(stage: &mut Stage) -> anyhow::Result<Vec<Sender>> {
    let mut senders = Vec::new();
    for kind in &KINDS {
        let Stage { sink, audience, .. } = stage;
        let mut sender = Sender::start(kind, sink, audience, kind.messages).await?;
        sender.send(WARM_UP, sink, audience).await?;
        senders.push(sender);
    }
    Ok(senders)
}

/// CPU seconds of one delivery, and deliveries per second of wall time.
async fn round(
    stage: &mut Stage,
    hato: &Hato,
    app: &App,
    messages: u64,
) -> anyhow::Result<(f64, f64)> {
    let window = send(stage, hato, app, messages, 0).await?;
    Ok((window.cpu / messages as f64, messages as f64 / window.wall))
}

fn micros(seconds: &[f64]) -> Span {
    Span::of(seconds.iter().map(|seconds| seconds * 1e6))
}
