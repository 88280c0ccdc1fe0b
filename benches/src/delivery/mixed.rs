//! CPU per request when some answers are refusals, against all 201: what deactivating, retrying and burying cost.

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Stage;
use super::window::send;
use crate::Wish;
use crate::figures::{Figures, Span, Target};
use crate::hato::{App, Data, Hato};
use crate::sink::check_samples;
use crate::sink::plan::{Plan, Report};

const ROUNDS: usize = 5;
const MESSAGES: u64 = 20_000;
const PERCENT: [(u16, u64); 3] = [(410, 10), (429, 2), (500, 1)];
const SETTINGS: [(&str, &str); 1] = [("HATO_RETRY_DELAYS", "200ms,200ms,200ms")];

pub async fn measure(stage: &mut Stage, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let (messages, rounds) = (wish.scaled(MESSAGES), wish.rounds(ROUNDS));
    // Those who are gone stay gone, so each mixed round has an app of its own.
    let app = |number: u64| number * messages..(number + 1) * messages;
    let ranges: Vec<_> = (0..=rounds as u64).map(app).collect();
    let folder = stage.folder.path().join("mixed");
    let data = Data::prepare(folder, &stage.audience, &ranges).await?;
    let hato = data.deliver(&stage.sink, &SETTINGS).await?;
    let plain_app = &data.apps[0];
    send(stage, &hato, plain_app, messages, 0).await?;
    let (mut mixed, mut plain) = (Vec::new(), Vec::new());
    for app in &data.apps[1..] {
        plain.push(send(stage, &hato, plain_app, messages, 0).await?.cpu / messages as f64);
        mixed.push(mixed_round(stage, &hato, app, messages).await?);
    }
    figures.add(
        "mixed_answers",
        Span::of_ratios(&mixed, &plain),
        Target::AtMost(1.3),
    );
    Ok(())
}

/// CPU seconds of one request.
async fn mixed_round(
    stage: &mut Stage,
    hato: &Hato,
    app: &App,
    messages: u64,
) -> anyhow::Result<f64> {
    let plan = Plan {
        percent: PERCENT,
        ..Plan::plain(messages)
    };
    stage.sink.begin(plan).await?;
    let before = hato.cpu_seconds()?;
    let id = hato.broadcast(app, messages).await?;
    stage.sink.reached().await?;
    let item = hato.done(app, &id).await?;
    let used = hato.cpu_seconds()? - before;
    let report = stage.sink.end().await?;
    check_counts(&item, &report, messages)?;
    check_samples(&report, &stage.audience, &app.vapid_key)?;
    Ok(used / report.requests as f64)
}

/// The history must say exactly what the push service answered.
fn check_counts(item: &Value, report: &Report, messages: u64) -> anyhow::Result<()> {
    let count = |name: &str| {
        item[name]
            .as_u64()
            .with_context(|| format!("no {name}: {item}"))
    };
    let answers = |status| report.answers.get(&status).copied().unwrap_or_default();
    let (sent, expired, other) = (
        count("sent_count")?,
        count("failed_expired")?,
        count("failed_other")?,
    );
    let same = sent == answers(201)
        && expired == answers(410)
        && report.distinct == messages
        && report.unmatched == 0;
    let all = sent + expired + other == messages;
    ensure!(same && all, "{item} after answers {:?}", report.answers);
    Ok(())
}
