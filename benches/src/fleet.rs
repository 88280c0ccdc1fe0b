//! A fleet: processes that accept and processes that deliver, over PostgreSQL; and over SQLite, to compare.

mod accept;
mod cost;
mod deliver;
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
            let worker = data
                .start_with_sink(sink, &[("HATO_ROLE", "worker")])
                .await?;
            fleet.workers.push(worker);
        }
        Ok(fleet)
    }

    /// The CPU seconds that each of its workers has used so far.
    fn worker_cpu(&self) -> anyhow::Result<Vec<f64>> {
        self.workers.iter().map(BenchServer::cpu_seconds).collect()
    }
}

/// Measures the selected parts: `cost`, `single`, `accept`, `large`.
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
