//! What counting costs: a delivery with a token beside one without, and taking in an event beside registering a browser.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hato_domain::{SendId, UnixMillis};
use hato_service::ports::{Clock as _, RecipientId, SystemClock};
use hato_service::{EngagementTokens, Secrets};
use hato_testkit::client::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::delivery::send::send;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};
use crate::selection::register;

const ROUNDS: usize = 7;
/// Messages of a part of a round.
const MESSAGES: u64 = 30_000;
/// Events of a part of a round, each of another recipient, and registrations.
const EVENTS: u64 = 20_000;
const BROWSERS: u64 = 2_000;
const CLIENTS: u64 = 8;
/// How long the server may take to count the last events.
const COUNT_TIME: Duration = Duration::from_secs(2);

/// Measures the selected parts: `deliver`, `events`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut setup = DeliverySetup::start().await?;
    let mut figures = options.figures("tracking");
    let messages = options.scaled(MESSAGES);
    let folder = setup.folder.path().join("tracking");
    let ranges = [0..messages];
    let data = ServerData::prepare(folder.clone(), &setup.audience, &ranges).await?;
    if options.includes("deliver") {
        deliver(&mut setup, &data, options, &mut figures, messages).await?;
    }
    if options.includes("events") {
        events(&setup, &data, &folder, options, &mut figures, messages).await?;
    }
    figures.finish()
}

/// CPU of the server for each delivery with tokens, against those without.
async fn deliver(
    setup: &mut DeliverySetup,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    messages: u64,
) -> anyhow::Result<()> {
    let hato = data.start_with_sink(&setup.sink, &[]).await?;
    let app = &data.apps[0];
    let (mut plain, mut counted) = (Vec::new(), Vec::new());
    for round in 0..=options.rounds(ROUNDS) {
        let mut cost = async |tracking: &str| -> anyhow::Result<f64> {
            hato.change_app(app, &json!({ "tracking": tracking }))
                .await?;
            let cost = send(setup, &hato, app, messages, 0).await?;
            Ok(cost.cpu * 1e6 / messages as f64)
        };
        // Which comes first changes, for the second finds what the first has warmed.
        let (without, with) = if round % 2 == 0 {
            (cost("off").await?, cost("counts").await?)
        } else {
            let with = cost("counts").await?;
            (cost("off").await?, with)
        };
        // The first round opens connections and files.
        if round > 0 {
            plain.push(without);
            counted.push(with);
        }
    }
    let ratio = Summary::from_ratios(&counted, &plain);
    figures.add(
        "delivering_with_tokens_over_without_cpu",
        ratio,
        FigureTarget::AtMost(1.15),
    );
    figures.add(
        "delivering_cpu_us",
        Summary::from_values(plain),
        FigureTarget::None,
    );
    Ok(())
}

/// CPU of the server for each event, its count included, against registering a browser.
async fn events(
    setup: &DeliverySetup,
    data: &ServerData,
    folder: &Path,
    options: &BenchOptions,
    figures: &mut Figures,
    messages: u64,
) -> anyhow::Result<()> {
    let hato = data
        .start_api_only(&[("HATO_OUTBOUND_ALLOW", "127.0.0.0/8")])
        .await?;
    let app = &data.apps[0];
    let client = hato.server.client().bearer(&app.full_key(&hato).await?);
    let tokens = tokens(folder)?;
    let (mut taken, mut registered) = (Vec::new(), Vec::new());
    let mut next = messages;
    for round in 0..=options.rounds(ROUNDS) {
        let id = hato.broadcast(app, next).await?;
        let event = accept_events(&hato, &tokens, &id, options.scaled(EVENTS)).await?;
        let numbers = next..next + BROWSERS;
        next = numbers.end;
        let browser = register::register(&hato, &client, &setup.audience, numbers, None).await?;
        if round > 0 {
            taken.push(event);
            registered.push(browser);
        }
    }
    let ratio = Summary::from_ratios(&taken, &registered);
    figures.add(
        "event_over_registering_cpu",
        ratio,
        FigureTarget::AtMost(1.0 / 3.0),
    );
    figures.add(
        "event_cpu_us",
        Summary::from_values(taken),
        FigureTarget::None,
    );
    Ok(())
}

/// What makes tokens with the secret of the server whose data is in this folder.
fn tokens(folder: &Path) -> anyhow::Result<EngagementTokens> {
    let secrets = std::fs::read_to_string(folder.join("secrets.toml"))?;
    let line = secrets
        .lines()
        .find(|line| line.starts_with("encryption_key"));
    let digits = line.and_then(|line| line.split('"').nth(1));
    let digits = digits.context("no encryption key")?;
    let bytes: Result<Vec<u8>, _> = (0..digits.len() / 2)
        .map(|it| u8::from_str_radix(&digits[2 * it..2 * it + 2], 16))
        .collect();
    let key: [u8; 32] = bytes?.try_into().ok().context("no key of 32 bytes")?;
    let tokens = Secrets::new(None, Some(key.into())).engagement_tokens();
    tokens.map_err(|code| anyhow::anyhow!("{}", code.as_str()))
}

/// Microseconds of the server's CPU for each event, until all are counted.
async fn accept_events(
    hato: &BenchServer,
    tokens: &EngagementTokens,
    send: &str,
    events: u64,
) -> anyhow::Result<f64> {
    let now: UnixMillis = SystemClock.now();
    let of_send = tokens.of_send(&SendId::trusted(send.to_owned()), now);
    let of_send = of_send.context("no number in the id")?;
    let mut bodies = vec![Vec::new(); CLIENTS as usize];
    for number in 0..events {
        let token = of_send.token(RecipientId(number as i64 + 1));
        bodies[(number % CLIENTS) as usize].push(json!({ "token": token, "event": "displayed" }));
    }
    let cpu = hato.cpu_seconds()?;
    let mut tasks = JoinSet::new();
    for bodies in bodies {
        tasks.spawn(report_each(hato.server.client(), bodies));
    }
    let done: anyhow::Result<Vec<()>> = tasks.join_all().await.into_iter().collect();
    done?;
    tokio::time::sleep(COUNT_TIME).await;
    Ok((hato.cpu_seconds()? - cpu) * 1e6 / events as f64)
}

async fn report_each(client: Client, bodies: Vec<Value>) -> anyhow::Result<()> {
    for body in bodies {
        let reply = client.post("/api/v1/events", &body).await?;
        ensure!(reply.status == 204, "{reply}");
    }
    Ok(())
}
