//! The web-push crate as a sender: told over standard input from which subscription on to send, and how many.
//!
//! `web-push-sender hyper ORDER` uses the crate as its documentation does: its own client, and a signature for each message.
//! `web-push-sender reqwest ORDER` makes the most of it: one cached signature, and reqwest over HTTP/2. One thread each, which
//! costs them less than several.

mod cached;
mod documented;
mod order;

use std::io::{Write as _, stdin, stdout};

use anyhow::Context as _;
use futures_util::stream::{self, StreamExt as _};
use web_push::SubscriptionInfo;

use cached::Cached;
use documented::Documented;
use order::Order;

/// Messages on their way at a time.
const CONCURRENCY: usize = 100;

/// Somebody who sends one message.
trait Sender {
    async fn send(&self, subscription: &SubscriptionInfo) -> anyhow::Result<()>;
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: web-push-sender hyper|reqwest ORDER";
    let kind = arguments.next().context(usage)?;
    let order = Order::read(&arguments.next().context(usage)?)?;
    match kind.as_str() {
        "hyper" => obey(&Documented::new(&order)?, &order).await,
        "reqwest" => obey(&Cached::new(&order)?, &order).await,
        _ => anyhow::bail!(usage),
    }
}

async fn obey(sender: &impl Sender, order: &Order) -> anyhow::Result<()> {
    tell("ready")?;
    for line in stdin().lines() {
        let line = line?;
        let (from, count) = line.split_once(' ').context("FROM COUNT")?;
        let (from, count): (usize, usize) = (from.parse()?, count.parse()?);
        let failed = send(sender, &order.subscriptions[from..from + count]).await;
        tell(&format!("sent {count} {failed}"))?;
    }
    Ok(())
}

fn tell(line: &str) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// How many were not taken.
async fn send(sender: &impl Sender, subscriptions: &[SubscriptionInfo]) -> usize {
    stream::iter(subscriptions)
        .map(|subscription| sender.send(subscription))
        .buffer_unordered(CONCURRENCY)
        .filter_map(async |sent| sent.inspect_err(|error| eprintln!("{error:#}")).err())
        .count()
        .await
}
