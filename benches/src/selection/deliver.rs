//! CPU of the server from accepting a send to its last settlement: by tags against a batch and a broadcast.

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::{FEW, batch, to_tags};
use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData, notification};
use crate::sink::protocol::ResponsePlan;

const ROUNDS: usize = 5;
/// Sends to few in a row: the kernel tells CPU time in steps of 10 ms.
const SENDS_TO_FEW: u64 = 200;
/// Holds for the same half of the audience, with three tags.
const EXPRESSION: &str = "half && (lang:ja || lang:en)";

/// What is sent, where, and to how many.
struct Measured {
    path: &'static str,
    body: Value,
    recipients: u64,
    sends: u64,
}

pub async fn measure(
    setup: &mut DeliverySetup,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    count: u64,
) -> anyhow::Result<()> {
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let step = count / FEW;
    let few = (1..=FEW).map(|number| setup.audience.endpoint(number * step - 1));
    let send = |path, body, recipients, sends| Measured {
        path,
        body,
        recipients,
        sends,
    };
    let kinds = [
        send("/api/v1/notify/batch", batch(few), FEW, SENDS_TO_FEW),
        send("/api/v1/notify", to_tags("few"), FEW, SENDS_TO_FEW),
        send("/api/v1/notify", notification(None), count, 1),
        send("/api/v1/notify", to_tags("half"), count / 2, 1),
        send("/api/v1/notify", to_tags(EXPRESSION), count / 2, 1),
    ];
    let mut costs = vec![Vec::new(); kinds.len()];
    for round in 0..=options.rounds(ROUNDS) {
        for (kind, costs) in kinds.iter().zip(&mut costs) {
            let cost = cost(setup, &hato, data, kind).await?;
            // The first round opens connections and files.
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    show(figures, &costs);
    Ok(())
}

fn show(figures: &mut Figures, costs: &[Vec<f64>]) {
    let [batch, few, broadcast, half, expression] = costs else {
        return;
    };
    for (name, upper, lower, most) in [
        ("tag_of_100_over_batch_cpu", few, batch, 1.5),
        ("tag_of_half_over_broadcast_cpu", half, broadcast, 1.15),
        ("three_tags_over_one_cpu", expression, half, 1.3),
    ] {
        figures.add(
            name,
            Summary::from_ratios(upper, lower),
            FigureTarget::AtMost(most),
        );
    }
    for (name, values) in [("batch_cpu_us", batch), ("broadcast_cpu_us", broadcast)] {
        figures.add(
            name,
            Summary::from_values(values.clone()),
            FigureTarget::None,
        );
    }
}

/// Microseconds of the server's CPU for each delivery.
async fn cost(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    data: &ServerData,
    kind: &Measured,
) -> anyhow::Result<f64> {
    let app = &data.apps[0];
    let deliveries = kind.recipients * kind.sends;
    setup
        .sink
        .begin(ResponsePlan::all_created(deliveries))
        .await?;
    let client = hato.server.client().bearer(&app.key);
    let (cpu, mut last) = (hato.cpu_seconds()?, String::new());
    for _ in 0..kind.sends {
        let reply = client.post(kind.path, &kind.body).await?;
        let accepted = reply.expect_status(202)?.json();
        ensure!(accepted["queued"] == kind.recipients, "accepted {accepted}");
        last = accepted["send_id"]
            .as_str()
            .context("no send_id")?
            .to_owned();
    }
    setup.sink.wait_reached().await?;
    hato.wait_done(app, &last).await?;
    let cpu = hato.cpu_seconds()? - cpu;
    let report = setup.sink.end().await?;
    ensure!(
        report.requests == deliveries && report.unmatched == 0,
        "{} messages instead of {deliveries}",
        report.requests
    );
    Ok(cpu * 1e6 / deliveries as f64)
}
