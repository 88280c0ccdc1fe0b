//! CPU per request when some answers are refusals, against all 201: what deactivating, retrying and dead-lettering cost.

use super::DeliverySetup;
use super::send::send;
use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, BenchServer, ServerData};
use crate::sink::protocol::ResponsePlan;
use crate::sink::{check_counts, check_samples};

const ROUNDS: usize = 9;
const MESSAGES: u64 = 60_000;
const PERCENT: [(u16, u64); 3] = [(410, 10), (429, 2), (500, 1)];
const SETTINGS: [(&str, &str); 1] = [("HATO_RETRY_DELAYS", "200ms,200ms,200ms")];

pub async fn measure(
    setup: &mut DeliverySetup,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let (messages, rounds) = (options.scaled(MESSAGES), options.rounds(ROUNDS));
    // Those who are gone stay gone, so each mixed round has an app of its own.
    let app = |number: u64| number * messages..(number + 1) * messages;
    let ranges: Vec<_> = (0..=rounds as u64).map(app).collect();
    let folder = setup.folder.path().join("mixed");
    let data = ServerData::prepare(folder, &setup.audience, &ranges).await?;
    let hato = data.start_with_sink(&setup.sink, &SETTINGS).await?;
    let plain_app = &data.apps[0];
    send(setup, &hato, plain_app, messages, 0).await?;
    let (mut mixed, mut plain) = (Vec::new(), Vec::new());
    for app in &data.apps[1..] {
        plain.push(send(setup, &hato, plain_app, messages, 0).await?.cpu / messages as f64);
        mixed.push(mixed_round(setup, &hato, app, messages).await?);
    }
    figures.add(
        "mixed_answers",
        Summary::from_ratios(&mixed, &plain),
        FigureTarget::AtMost(1.3),
    );
    Ok(())
}

/// Runs a round of mixed answers, and returns what one request of it costs the server in CPU seconds.
async fn mixed_round(
    setup: &mut DeliverySetup,
    hato: &BenchServer,
    app: &BenchApp,
    messages: u64,
) -> anyhow::Result<f64> {
    let plan = ResponsePlan {
        percent: PERCENT,
        ..ResponsePlan::all_created(messages)
    };
    setup.sink.begin(plan).await?;
    let before = hato.cpu_seconds()?;
    let id = hato.broadcast(app, messages).await?;
    setup.sink.wait_reached().await?;
    let item = hato.wait_done(app, &id).await?;
    let used = hato.cpu_seconds()? - before;
    let report = setup.sink.end().await?;
    check_counts(&report, &item, messages)?;
    check_samples(&report, &setup.audience, &app.vapid_key)?;
    Ok(used / report.requests as f64)
}
