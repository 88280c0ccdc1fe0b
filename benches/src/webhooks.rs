//! What a webhook costs: CPU of a send's deliveries, settlements and posts with an active webhook, against without one.

mod broadcast;
mod single;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use hato_testkit::test_ca::TestCa;
use hato_testkit::webhook_receiver::{Event, WebhookReceiver};

use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchApp, BenchServer, ServerData};

/// In which what is still to be recorded after the last event is recorded.
const SETTLE_DELAY: Duration = Duration::from_millis(300);

/// Two apps of one server: the second has a webhook.
struct WebhookSetup {
    delivery: DeliverySetup,
    hato: BenchServer,
    apps: [BenchApp; 2],
    receiver: WebhookReceiver,
}

/// CPU seconds of each round for a recipient, without a webhook and with one.
#[derive(Default)]
struct Rounds {
    plain: Vec<f64>,
    with_webhook: Vec<f64>,
}

/// Measures what an active webhook adds: to a broadcast, and to sends to one recipient each.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut figures = options.figures("webhooks");
    let recipients = options.scaled(broadcast::RECIPIENTS);
    let mut setup = WebhookSetup::start(recipients).await?;
    let rounds = broadcast::rounds(&mut setup, options, recipients).await?;
    figures.add(
        "added_percent",
        rounds.added_percent(),
        FigureTarget::AtMost(15.0),
    );
    rounds.show(&mut figures, "broadcast");
    let rounds = single::rounds(&mut setup, options, recipients).await?;
    figures.add(
        "single_added_percent",
        rounds.added_percent(),
        FigureTarget::None,
    );
    rounds.show(&mut figures, "single");
    figures.finish()
}

impl Rounds {
    /// The first pair of rounds warms up, and is not kept.
    fn keep(&mut self, round: usize, [plain, with_webhook]: [f64; 2]) {
        if round > 0 {
            self.plain.push(plain);
            self.with_webhook.push(with_webhook);
        }
    }

    fn added_percent(&self) -> Summary {
        let pairs = self.plain.iter().zip(&self.with_webhook);
        Summary::from_values(
            pairs.map(|(plain, with_webhook)| (with_webhook / plain - 1.0) * 100.0),
        )
    }

    fn show(&self, figures: &mut Figures, what: &str) {
        let micros =
            |rounds: &[f64]| Summary::from_values(rounds.iter().map(|seconds| seconds * 1e6));
        let name = |which: &str| format!("{what}_{which}_us");
        figures.add(&name("plain"), micros(&self.plain), FigureTarget::None);
        figures.add(
            &name("webhook"),
            micros(&self.with_webhook),
            FigureTarget::None,
        );
    }
}

impl WebhookSetup {
    async fn start(recipients: u64) -> anyhow::Result<Self> {
        let delivery = DeliverySetup::start().await?;
        let test_ca = TestCa::new();
        let receiver = WebhookReceiver::start(&test_ca).await;
        let ranges = [0..recipients, recipients..2 * recipients];
        let folder = delivery.folder.path().join("data");
        let data = ServerData::prepare(folder, &delivery.audience, &ranges).await?;
        let roots = roots(&delivery, &test_ca)?;
        let settings = [("HATO_OUTBOUND_CA", &*roots.to_string_lossy())];
        let hato = data.start_with_sink(&delivery.sink, &settings).await?;
        let Ok(apps) = <[BenchApp; 2]>::try_from(data.apps) else {
            anyhow::bail!("two apps were asked for");
        };
        hato.set_webhook(&apps[1], receiver.url()).await?;
        Ok(Self {
            delivery,
            hato,
            apps,
            receiver,
        })
    }

    /// CPU seconds since `before`, once everything is recorded. With a webhook, these events must have come and name
    /// everybody once.
    async fn cpu_since(
        &self,
        before: f64,
        app: usize,
        (events, named): (u64, u64),
    ) -> anyhow::Result<f64> {
        if app == 1 {
            self.expect_events(usize::try_from(events)?, named).await?;
        }
        tokio::time::sleep(SETTLE_DELAY).await;
        Ok(self.hato.cpu_seconds()? - before)
    }

    async fn expect_events(&self, expected: usize, named: u64) -> anyhow::Result<()> {
        self.receiver
            .wait_until(|seen| seen.len() >= expected)
            .await;
        let events = self.receiver.take();
        let results: usize = events.iter().map(results).sum();
        ensure!(events.len() == expected, "{} events", events.len());
        ensure!(results as u64 == named, "{results} results");
        Ok(())
    }
}

fn results(event: &Event) -> usize {
    let results = &event.json()["data"]["results"];
    results.as_array().map_or(0, Vec::len)
}

/// Which app goes first takes turns.
fn app_order(round: usize) -> [usize; 2] {
    if round % 2 == 0 { [0, 1] } else { [1, 0] }
}

/// A file with the roots of the sink and of the receiver.
fn roots(delivery: &DeliverySetup, test_ca: &TestCa) -> anyhow::Result<PathBuf> {
    let path = delivery.folder.path().join("roots.pem");
    let sink = fs::read_to_string(&delivery.sink.ca)?;
    fs::write(&path, format!("{sink}\n{}", test_ca.pem()))?;
    Ok(path)
}
