//! A fleet: processes that accept and processes that deliver, over PostgreSQL; and over SQLite, to compare.

mod accept;
mod cost;
mod deliver;
mod expired;
mod large;
mod single;

use crate::BenchOptions;
use crate::delivery::DeliverySetup;
use crate::hato::{BenchServer, ServerData};
use crate::sink::Sink;

/// The processes of one database.
struct BenchFleet {
    api: BenchServer,
    workers: Vec<BenchServer>,
}

impl BenchFleet {
    /// Starts one process that accepts, and so many that deliver.
    async fn start(data: &ServerData, sink: &Sink, workers: usize) -> anyhow::Result<Self> {
        let api = data.start_api_only(&[]).await?;
        let mut fleet = Self {
            api,
            workers: Vec::new(),
        };
        for _ in 0..workers {
            let settings = [
                ("HATO_ROLE", "worker"),
                ("HATO_METRICS_LISTEN", "127.0.0.1:0"),
            ];
            let worker = data.start_with_sink(sink, &settings).await?;
            fleet.workers.push(worker);
        }
        Ok(fleet)
    }

    /// How many messages the push service has taken from each of its workers so far.
    async fn sent_messages(&self) -> anyhow::Result<Vec<u64>> {
        let mut sent = Vec::new();
        for worker in &self.workers {
            sent.push(worker.server.sent_messages().await?);
        }
        Ok(sent)
    }

    /// The CPU seconds that each of its workers has used so far.
    fn worker_cpu(&self) -> anyhow::Result<Vec<f64>> {
        self.workers.iter().map(BenchServer::cpu_seconds).collect()
    }
}

/// Measures the selected parts: `cost`, `expired`, `single`, `accept`, `large`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut setup = DeliverySetup::start().await?;
    let mut figures = options.figures("fleet");
    if options.includes("cost") {
        cost::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("expired") {
        expired::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("single") {
        single::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("accept") {
        accept::measure(&setup, options, &mut figures).await?;
    }
    if options.includes("large") {
        large::measure(&mut setup, options, &mut figures).await?;
    }
    figures.finish()
}
