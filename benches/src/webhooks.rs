//! What a webhook costs: CPU of a send's deliveries, settlements and posts with an active webhook, against without one.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use hato_testkit::authority::Authority;
use hato_testkit::webhook_receiver::WebhookReceiver;

use crate::Wish;
use crate::delivery::Stage;
use crate::figures::{Figures, Span, Target};
use crate::hato::{App, Data, Hato};
use crate::sink::plan::Plan;

const ROUNDS: usize = 11;
const MESSAGES: u64 = 40_000;
/// Recipients of a page, as the engine has it.
const PAGE: u64 = 500;
/// In which what is still to be recorded after the last event is recorded.
const REST: Duration = Duration::from_millis(300);

/// Measures what an active webhook adds.
pub fn run(wish: &Wish) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(wish))
}

async fn measure(wish: &Wish) -> anyhow::Result<()> {
    let mut stage = Stage::set().await?;
    let mut figures = wish.figures("webhooks");
    let messages = wish.scaled(MESSAGES);
    let authority = Authority::new();
    let receiver = WebhookReceiver::start(&authority).await;
    let ranges = [0..messages, messages..2 * messages];
    let data = Data::prepare(stage.folder.path().join("data"), &stage.audience, &ranges).await?;
    let roots = roots(&stage, &authority)?;
    let settings = [("HATO_OUTBOUND_CA", &*roots.to_string_lossy())];
    let hato = data.deliver(&stage.sink, &settings).await?;
    let [plain_app, watched_app] = &data.apps[..] else {
        anyhow::bail!("two apps were asked for");
    };
    hato.point(watched_app, receiver.url()).await?;
    let (mut plain, mut watched) = (Vec::new(), Vec::new());
    for round in 0..=wish.rounds(ROUNDS) {
        let pair = [
            send(&mut stage, &hato, plain_app, messages, None).await?,
            send(&mut stage, &hato, watched_app, messages, Some(&receiver)).await?,
        ];
        // The first round warms up.
        if round > 0 {
            plain.push(pair[0]);
            watched.push(pair[1]);
        }
    }
    let added = plain.iter().zip(&watched).map(|(plain, watched)| watched - plain);
    figures.add("added_cpu_us", Span::of(added.map(|it| it * 1e6)), Target::None);
    figures.add("delivery_cpu_us", Span::of(plain.iter().map(|it| it * 1e6)), Target::None);
    let ratio = Span::of_ratios(&watched, &plain);
    figures.add("with_a_webhook", ratio, Target::AtMost(1.05));
    figures.finish()
}

/// A file with the roots of the sink and of the receiver.
fn roots(stage: &Stage, authority: &Authority) -> anyhow::Result<PathBuf> {
    let path = stage.folder.path().join("roots.pem");
    let sink = fs::read_to_string(&stage.sink.ca)?;
    fs::write(&path, format!("{sink}\n{}", authority.pem()))?;
    Ok(path)
}

/// CPU seconds of one delivery, events posted and recorded included.
async fn send(
    stage: &mut Stage,
    hato: &Hato,
    app: &App,
    messages: u64,
    receiver: Option<&WebhookReceiver>,
) -> anyhow::Result<f64> {
    stage.sink.begin(Plan::plain(messages)).await?;
    let before = hato.cpu_seconds()?;
    let id = hato.broadcast(app, messages).await?;
    stage.sink.reached().await?;
    let item = hato.done(app, &id).await?;
    ensure!(item["sent_count"] == messages, "the history says {item}");
    if let Some(receiver) = receiver {
        arrive(receiver, messages).await?;
    }
    tokio::time::sleep(REST).await;
    let used = hato.cpu_seconds()? - before;
    let Stage { sink, audience, .. } = stage;
    sink.end_exact(messages, audience, &app.vapid_key).await?;
    Ok(used / messages as f64)
}

/// Waits for the events of a send, in which everybody must be named once.
async fn arrive(receiver: &WebhookReceiver, messages: u64) -> anyhow::Result<()> {
    let expected = usize::try_from(messages.div_ceil(PAGE))? + 1;
    receiver.wait_until(|seen| seen.len() >= expected).await;
    let events = receiver.take();
    let results = events.iter().map(|event| {
        let results = &event.json()["data"]["results"];
        results.as_array().map_or(0, Vec::len)
    });
    let named: usize = results.sum();
    ensure!(events.len() == expected, "{} events", events.len());
    ensure!(named as u64 == messages, "{named} results");
    Ok(())
}
