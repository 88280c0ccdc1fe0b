//! CPU of the server for registering a browser, with five tags and without.

use std::ops::Range;

use anyhow::ensure;
use hato_testkit::client::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::BenchOptions;
use crate::audience::BenchAudience;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{BenchServer, ServerData};

const ROUNDS: usize = 7;
/// Registrations of a part of a round.
const BROWSERS: u64 = 2_000;
const CLIENTS: u64 = 8;

pub async fn measure(
    setup: &DeliverySetup,
    data: &ServerData,
    options: &BenchOptions,
    figures: &mut Figures,
    count: u64,
) -> anyhow::Result<()> {
    let hato = data
        .start_api_only(&[("HATO_OUTBOUND_ALLOW", "127.0.0.0/8")])
        .await?;
    let client = hato
        .server
        .client()
        .bearer(&data.apps[0].full_key(&hato).await?);
    let tags = json!(["half", "lang:ja", "plan:pro", "news", "few"]);
    let (mut plain, mut tagged) = (Vec::new(), Vec::new());
    // Behind those of the other app.
    let mut next = count + 10;
    for round in 0..=options.rounds(ROUNDS) {
        let mut cost = async |tags: Option<&Value>| {
            let numbers = next..next + BROWSERS;
            next = numbers.end;
            register(&hato, &client, &setup.audience, numbers, tags).await
        };
        let (without, with) = (cost(None).await?, cost(Some(&tags)).await?);
        // The first round opens connections and files.
        if round > 0 {
            plain.push(without);
            tagged.push(with);
        }
    }
    let ratio = Summary::from_ratios(&tagged, &plain);
    figures.add(
        "registering_with_5_tags_over_none_cpu",
        ratio,
        FigureTarget::AtMost(2.0),
    );
    figures.add(
        "registering_cpu_us",
        Summary::from_values(plain),
        FigureTarget::None,
    );
    Ok(())
}

/// Microseconds of the server's CPU for each.
pub async fn register(
    hato: &BenchServer,
    client: &Client,
    audience: &BenchAudience,
    numbers: Range<u64>,
    tags: Option<&Value>,
) -> anyhow::Result<f64> {
    let count = numbers.end - numbers.start;
    let mut bodies = vec![Vec::new(); CLIENTS as usize];
    for number in numbers {
        let browser = audience.subscription(number);
        let keys = &browser["keys"];
        let mut body = json!({
            "endpoint": browser["endpoint"], "p256dh": keys["p256dh"], "auth": keys["auth"]
        });
        if let Some(tags) = tags {
            body["tags"] = tags.clone();
        }
        bodies[(number % CLIENTS) as usize].push(body);
    }
    let cpu = hato.cpu_seconds()?;
    let mut tasks = JoinSet::new();
    for bodies in bodies {
        tasks.spawn(register_each(client.clone(), bodies));
    }
    let done: anyhow::Result<Vec<()>> = tasks.join_all().await.into_iter().collect();
    done?;
    Ok((hato.cpu_seconds()? - cpu) * 1e6 / count as f64)
}

async fn register_each(client: Client, bodies: Vec<Value>) -> anyhow::Result<()> {
    for body in bodies {
        let reply = client.post("/api/v1/subscriptions", &body).await?;
        ensure!(reply.status == 201, "{reply}");
    }
    Ok(())
}
