//! Deliveries per CPU second of the sending process, Hato's whole server against other senders.

use super::DeliverySetup;
use super::send::send;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, BenchServer, ServerData};
use crate::sender::{ComparedSender, SENDER_KINDS};

const ROUNDS: usize = 5;
/// How many messages Hato sends in a round.
const MESSAGES: u64 = 30_000;
/// How many messages a sender sends before the first round, uncounted.
const WARM_UP: u64 = 300;
/// By how much Hato should be better, in the order of the senders.
const TARGETS: [f64; 4] = [12.0, 6.0, 6.5, 2.5];

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let messages = options.scaled(MESSAGES);
    let folder = setup.folder.path().join("compared");
    let data = ServerData::prepare(
        folder,
        &setup.audience,
        std::slice::from_ref(&(0..messages)),
    )
    .await?;
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let app = &data.apps[0];
    let mut senders = start_all(setup).await?;
    send(setup, &hato, app, messages, 0).await?;
    let mut costs = vec![Vec::new(); senders.len()];
    let mut own = Vec::new();
    for _ in 0..options.rounds(ROUNDS) {
        for ((sender, kind), costs) in senders.iter_mut().zip(&SENDER_KINDS).zip(&mut costs) {
            let messages = options.scaled(kind.messages);
            costs.push(
                sender
                    .send(messages, &mut setup.sink, &setup.audience)
                    .await?,
            );
        }
        own.push(round(setup, &hato, app, messages).await?);
    }
    let rates: Vec<f64> = own.iter().map(|(_, rate)| *rate).collect();
    let own: Vec<f64> = own.iter().map(|(cost, _)| *cost).collect();
    for ((kind, costs), target) in SENDER_KINDS.iter().zip(&costs).zip(TARGETS) {
        figures.add_to(
            "ratios",
            kind.name,
            Summary::from_ratios(costs, &own),
            FigureTarget::AtLeast(target),
        );
        figures.add_to("cpu_us", kind.name, micros(costs), FigureTarget::None);
    }
    figures.add_to("cpu_us", "hato", micros(&own), FigureTarget::None);
    figures.add("hato_rate", Summary::from_values(rates), FigureTarget::None);
    Ok(())
}

async fn start_all(setup: &mut DeliverySetup) -> anyhow::Result<Vec<ComparedSender>> {
    let mut senders = Vec::new();
    for kind in &SENDER_KINDS {
        let DeliverySetup { sink, audience, .. } = setup;
        let mut sender = ComparedSender::start(kind, sink, audience, kind.messages).await?;
        sender.send(WARM_UP, sink, audience).await?;
        senders.push(sender);
    }
    Ok(senders)
}

/// CPU seconds of one delivery, and deliveries per second of wall time.
async fn round(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    app: &BenchApp,
    messages: u64,
) -> anyhow::Result<(f64, f64)> {
    let cost = send(setup, hato, app, messages, 0).await?;
    Ok((cost.cpu / messages as f64, messages as f64 / cost.wall))
}

fn micros(seconds: &[f64]) -> Summary {
    Summary::from_values(seconds.iter().map(|seconds| seconds * 1e6))
}
