//! Deliveries: Hato's whole server beside other senders, and beside itself under other circumstances.

mod beside;
mod compared;
mod latency;
mod million;
mod mixed;
pub mod send;
mod slow;
mod small;

use tempfile::TempDir;

use crate::BenchOptions;
use crate::audience::BenchAudience;
use crate::sink::Sink;
use crate::table::folder;

/// The sink and the audience that all parts of the benchmark use.
pub struct DeliverySetup {
    pub folder: TempDir,
    pub sink: Sink,
    pub audience: BenchAudience,
}

impl DeliverySetup {
    /// Starts a sink, and makes an audience whose endpoints lead to it.
    pub async fn start() -> anyhow::Result<Self> {
        let folder = TempDir::with_prefix_in("delivery-", folder()?)?;
        let sink = Sink::start(folder.path()).await?;
        let audience = BenchAudience::new(sink.origin.clone());
        Ok(Self {
            folder,
            sink,
            audience,
        })
    }
}

/// Measures the selected parts: `compared`, `latency`, `mixed`, `small`, `slow`, `changing`, `beside`, `million`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let mut setup = DeliverySetup::start().await?;
    let mut figures = options.figures("delivery");
    if options.includes("compared") {
        compared::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("latency") {
        latency::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("mixed") {
        mixed::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("small") {
        small::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("slow") {
        slow::measure_slow(&mut setup, options, &mut figures).await?;
    }
    if options.includes("changing") {
        slow::measure_changing(&mut setup, options, &mut figures).await?;
    }
    if options.includes("beside") {
        beside::measure(&mut setup, options, &mut figures).await?;
    }
    if options.includes("million") {
        million::measure(&mut setup, options, &mut figures).await?;
    }
    figures.finish()
}
