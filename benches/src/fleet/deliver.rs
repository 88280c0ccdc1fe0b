//! One send of a fleet, from its request to the last settlement, and what it cost whom.

use std::fs;

use anyhow::{Context as _, ensure};

use super::BenchFleet;
use crate::delivery::DeliverySetup;
use crate::hato::BenchApp;
use crate::postgres::BenchCluster;
use crate::sink::protocol::ResponsePlan;
use crate::sink::run_state::now;
use crate::sink::{check_counts, check_samples};

/// What the delivery of one broadcast took, of each process, the disk and the network.
pub struct DeliveryCost {
    /// CPU seconds of each worker.
    pub workers: Vec<f64>,
    /// The part of the deliveries that the worker has made that made the fewest.
    pub least_share: f64,
    /// CPU seconds of all PostgreSQL processes; 0 without any.
    pub database: f64,
    /// Bytes that PostgreSQL has written to its log.
    pub wal: f64,
    /// Bytes that went over the loopback interface: between workers and push service, and hardly anything else.
    pub network: f64,
    /// Seconds of wall time.
    pub wall: f64,
}

impl DeliveryCost {
    /// CPU seconds of all workers.
    pub fn worker(&self) -> f64 {
        self.workers.iter().sum()
    }
}

/// A broadcast to all of the app's subscribers, each of whom must get one message, which is answered as planned; counts only then.
pub async fn deliver(
    setup: &mut DeliverySetup,
    fleet: &BenchFleet,
    cluster: Option<&BenchCluster>,
    app: &BenchApp,
    plan: &ResponsePlan,
) -> anyhow::Result<DeliveryCost> {
    let recipients = plan.expected;
    setup.sink.begin(plan.clone()).await?;
    // Outside the CPU that is counted: asking costs some.
    let (wal, sent_before) = (wal_bytes(cluster)?, fleet.sent_messages().await?);
    let (before, started) = (UsageTotals::read(fleet, cluster)?, now());
    let id = fleet.api.broadcast(app, recipients).await?;
    let ended = setup.sink.wait_reached().await?;
    let item = fleet.api.wait_done(app, &id).await?;
    let after = UsageTotals::read(fleet, cluster)?;
    let wal = wal_bytes(cluster)? - wal;
    let sent = fleet.sent_messages().await?;
    let least_sent = sent
        .iter()
        .zip(&sent_before)
        .map(|(now, before)| now - before)
        .min();
    let report = setup.sink.end().await?;
    ensure!(
        report.requests == recipients,
        "{} requests",
        report.requests
    );
    check_counts(&report, &item, recipients)?;
    check_samples(&report, &setup.audience, &app.vapid_key)?;
    let deliveries = recipients as f64;
    Ok(DeliveryCost {
        workers: after.workers_since(&before, deliveries),
        least_share: least_sent.unwrap_or_default() as f64 / deliveries,
        database: (after.database - before.database) / deliveries,
        wal: wal / deliveries,
        network: (after.network - before.network) / deliveries,
        wall: (ended - started) / deliveries,
    })
}

fn wal_bytes(cluster: Option<&BenchCluster>) -> anyhow::Result<f64> {
    cluster.map_or(Ok(0.0), BenchCluster::wal_bytes)
}

/// What was used until a moment.
struct UsageTotals {
    workers: Vec<f64>,
    database: f64,
    network: f64,
}

impl UsageTotals {
    fn read(fleet: &BenchFleet, cluster: Option<&BenchCluster>) -> anyhow::Result<Self> {
        Ok(Self {
            workers: fleet.worker_cpu()?,
            database: cluster.map_or(Ok(0.0), BenchCluster::cpu_seconds)?,
            network: loopback_bytes()?,
        })
    }

    fn workers_since(&self, before: &Self, deliveries: f64) -> Vec<f64> {
        let workers = self.workers.iter().zip(&before.workers);
        workers
            .map(|(now, then)| (now - then) / deliveries)
            .collect()
    }
}

/// Bytes that the loopback interface has carried so far.
fn loopback_bytes() -> anyhow::Result<f64> {
    let bytes = fs::read_to_string("/sys/class/net/lo/statistics/rx_bytes")?;
    bytes.trim().parse().context("a number of bytes")
}
