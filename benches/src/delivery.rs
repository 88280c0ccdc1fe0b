//! Deliveries: Hato's whole server beside other senders, and beside itself under other circumstances.

mod compared;
mod latency;
mod million;
mod mixed;
mod small;
mod window;

use tempfile::TempDir;

use crate::Wish;
use crate::audience::Audience;
use crate::sink::Sink;
use crate::table::folder;

/// What all parts use.
pub struct Stage {
    pub folder: TempDir,
    pub sink: Sink,
    pub audience: Audience,
}

impl Stage {
    /// A sink, and an audience at it.
    pub async fn set() -> anyhow::Result<Self> {
        let folder = TempDir::with_prefix_in("delivery-", folder()?)?;
        let sink = Sink::start(folder.path()).await?;
        let audience = Audience::new(sink.origin.clone());
        Ok(Self {
            folder,
            sink,
            audience,
        })
    }
}

/// Measures the parts that are wished for: `compared`, `latency`, `mixed`, `small`, `million`.
pub fn run(wish: &Wish) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(wish))
}

async fn measure(wish: &Wish) -> anyhow::Result<()> {
    let mut stage = Stage::set().await?;
    let mut figures = wish.figures("delivery");
    if wish.has("compared") {
        compared::measure(&mut stage, wish, &mut figures).await?;
    }
    if wish.has("latency") {
        latency::measure(&mut stage, wish, &mut figures).await?;
    }
    if wish.has("mixed") {
        mixed::measure(&mut stage, wish, &mut figures).await?;
    }
    if wish.has("small") {
        small::measure(&mut stage, wish, &mut figures).await?;
    }
    if wish.has("million") {
        million::measure(&mut stage, wish, &mut figures).await?;
    }
    figures.finish()
}
