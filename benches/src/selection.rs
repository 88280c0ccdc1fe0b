//! Sends to a part of the audience, beside sends to everybody and to lists: an app with a million subscriptions, five tags each.

mod accept;
mod deliver;
pub mod register;
mod seed;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{ServerData, notification};

/// Subscriptions of the app.
const SUBSCRIPTIONS: u64 = 1_000_000;
/// Recipients of a batch, and of the tag that few have.
const FEW: u64 = 100;

/// Measures the selected parts: `deliver`, `accept`, `register`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut setup = DeliverySetup::start().await?;
    let mut figures = options.figures("audience");
    let count = options.scaled(SUBSCRIPTIONS);
    let folder = setup.folder.path().join("audience");
    let data = ServerData::prepare(
        folder.clone(),
        &setup.audience,
        &[0..count, count..count + 10],
    )
    .await?;
    seed::add_tags(&folder, &data.apps[0].id, count)?;
    show_sizes(&folder, &mut figures, count)?;
    if options.includes("deliver") {
        deliver::measure(&mut setup, &data, options, &mut figures, count).await?;
    }
    if options.includes("accept") {
        accept::measure(&setup, &data, options, &mut figures, count).await?;
    }
    if options.includes("register") {
        register::measure(&setup, &data, options, &mut figures, count).await?;
    }
    figures.finish()
}

/// What a tag of a subscription takes in the file: its part of the blocks, and with its text beside the subscription.
fn show_sizes(folder: &PathBuf, figures: &mut Figures, count: u64) -> anyhow::Result<()> {
    let tags = (count * seed::TAGS_EACH) as f64;
    let (blocks, texts) = seed::sizes(folder)?;
    let per_tag = |bytes: f64| Summary::from_value(bytes / tags);
    figures.add("bytes_per_tag_blocks", per_tag(blocks), FigureTarget::None);
    figures.add("bytes_per_tag", per_tag(blocks + texts), FigureTarget::None);
    Ok(())
}

/// The body of a request to send to the subscriptions that this expression holds for.
fn to_tags(expression: &str) -> Value {
    let mut body = notification(None);
    body["to"] = json!({ "tags": expression });
    body
}

/// The body of a request to send to these endpoints.
fn batch(endpoints: impl Iterator<Item = String>) -> Value {
    json!({ "endpoints": endpoints.collect::<Vec<_>>(), "payload": notification(None) })
}
