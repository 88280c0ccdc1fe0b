//! The web-push crate as a sender: told over standard input from which subscription on to send, and how many.
//!
//! `web-push-sender hyper CONFIG` uses the crate as its documentation does: its own client, and a signature for each message.
//! `web-push-sender reqwest CONFIG` makes the most of it: one cached signature, and reqwest over HTTP/2. One thread each, which
//! costs them less than several.

mod cached;
mod config;
mod documented;

use std::io::{Write as _, stdin, stdout};

use anyhow::Context as _;
use futures_util::stream::{self, StreamExt as _};
use web_push::SubscriptionInfo;

use cached::CachedSender;
use config::SenderConfig;
use documented::DocumentedSender;

/// How many messages are on their way at a time.
const CONCURRENCY: usize = 100;

/// Sends one message at a time.
trait MessageSender {
    async fn send(&self, subscription: &SubscriptionInfo) -> anyhow::Result<()>;
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: web-push-sender hyper|reqwest CONFIG";
    let kind = arguments.next().context(usage)?;
    let config = SenderConfig::read(&arguments.next().context(usage)?)?;
    match kind.as_str() {
        "hyper" => run(&DocumentedSender::new(&config)?, &config).await,
        "reqwest" => run(&CachedSender::new(&config)?, &config).await,
        _ => anyhow::bail!(usage),
    }
}

async fn run(sender: &impl MessageSender, config: &SenderConfig) -> anyhow::Result<()> {
    print_line("ready")?;
    for line in stdin().lines() {
        let line = line?;
        let (from, count) = line.split_once(' ').context("FROM COUNT")?;
        let (from, count): (usize, usize) = (from.parse()?, count.parse()?);
        let failed = send(sender, &config.subscriptions[from..from + count]).await;
        print_line(&format!("sent {count} {failed}"))?;
    }
    Ok(())
}

fn print_line(line: &str) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Sends every message, and returns how many were not taken.
async fn send(sender: &impl MessageSender, subscriptions: &[SubscriptionInfo]) -> usize {
    stream::iter(subscriptions)
        .map(|subscription| sender.send(subscription))
        .buffer_unordered(CONCURRENCY)
        .filter_map(async |sent| sent.inspect_err(|error| eprintln!("{error:#}")).err())
        .count()
        .await
}
