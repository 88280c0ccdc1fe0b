//! CPU of the server for taking in a subscription of a list, against registering it alone.

use std::ops::Range;

use anyhow::ensure;
use hato_testkit::client::Client;
use serde_json::{Value, json};

use super::{name, prepare};
use crate::BenchOptions;
use crate::audience::BenchAudience;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::BenchServer;
use crate::postgres::BenchCluster;
use crate::selection::register::register;

const ROUNDS: usize = 7;
/// Registrations of a part of a round.
const REGISTERED: u64 = 2_000;
/// Subscriptions of the lists of a round, and of each list: as many as one may have.
const IMPORTED: u64 = 20_000;
const LIST: u64 = 1_000;

pub async fn measure(
    setup: &DeliverySetup,
    cluster: Option<&BenchCluster>,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let data = prepare(setup, cluster, "import", 0..1).await?;
    let hato = data
        .start_api_only(&[("HATO_OUTBOUND_ALLOW", "127.0.0.0/8")])
        .await?;
    let app = &data.apps[0];
    let client = hato.server.client().bearer(&app.full_key(&hato).await?);
    let path = format!("/api/v1/apps/{}/subscriptions/bulk", app.id);
    let (mut listed, mut alone) = (Vec::new(), Vec::new());
    let mut next = 1;
    for round in 0..=options.rounds(ROUNDS) {
        let mut take = |count| {
            let numbers = next..next + count;
            next = numbers.end;
            numbers
        };
        let registered = take(REGISTERED);
        let imported = take(options.scaled(IMPORTED));
        let one = register(&hato, &client, &setup.audience, registered, None).await?;
        let each = import(&hato, &client, &path, &setup.audience, imported).await?;
        // The first round opens connections and files.
        if round > 0 {
            alone.push(one);
            listed.push(each);
        }
    }
    let ratio = Summary::from_ratios(&listed, &alone);
    let target = FigureTarget::AtMost(0.2);
    figures.add(
        &name("importing_over_registering_cpu", cluster),
        ratio,
        target,
    );
    let cpu = Summary::from_values(listed);
    figures.add(&name("importing_cpu_us", cluster), cpu, FigureTarget::None);
    Ok(())
}

/// Microseconds of the server's CPU for each of these members of the audience.
async fn import(
    hato: &BenchServer,
    client: &Client,
    path: &str,
    audience: &BenchAudience,
    numbers: Range<u64>,
) -> anyhow::Result<f64> {
    let numbers: Vec<u64> = numbers.collect();
    let lists: Vec<Value> = numbers
        .chunks(LIST as usize)
        .map(|numbers| list(audience, numbers))
        .collect();
    let cpu = hato.cpu_seconds()?;
    for (list, numbers) in lists.iter().zip(numbers.chunks(LIST as usize)) {
        let reply = client.post(path, list).await?.expect_status(200)?.json();
        ensure!(reply["created"] == numbers.len(), "{reply}");
    }
    Ok((hato.cpu_seconds()? - cpu) * 1e6 / numbers.len() as f64)
}

fn list(audience: &BenchAudience, numbers: &[u64]) -> Value {
    let items: Vec<Value> = numbers
        .iter()
        .map(|number| {
            let browser = audience.subscription(*number);
            let keys = &browser["keys"];
            json!({
                "endpoint": browser["endpoint"], "p256dh": keys["p256dh"], "auth": keys["auth"]
            })
        })
        .collect();
    json!({ "items": items })
}
