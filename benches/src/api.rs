//! Accepting: what concurrency gains when a commit costs, and what reading, and the size of the audience, cost.

mod accept;
mod broadcast;
pub mod commit;
pub mod load;
mod reading;

use std::path::PathBuf;

use tempfile::TempDir;

use crate::BenchOptions;
use crate::audience::BenchAudience;
use crate::hato::{BenchApp, notification};
use crate::table::folder;
use load::LoadRequest;

/// The push service of the audience, where nobody listens: these servers accept sends and deliver none.
const ORIGIN: &str = "https://127.0.0.1:9";

/// The server and the app that all parts of the benchmark use.
struct ApiSetup {
    folder: TempDir,
    audience: BenchAudience,
}

impl ApiSetup {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A send to the first recipient of the audience.
    fn send_to_one(&self, app: &BenchApp) -> LoadRequest {
        let endpoint = self.audience.endpoint(0);
        LoadRequest::post("/api/v1/notify", &app.key, &notification(Some(&endpoint)))
    }
}

/// Measures the selected parts: `accept`, `slow`, `reading`, `broadcast`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(options))
}

async fn measure(options: &BenchOptions) -> anyhow::Result<()> {
    let folder = TempDir::with_prefix_in("api-", folder()?)?;
    let setup = ApiSetup {
        folder,
        audience: BenchAudience::new(ORIGIN.to_owned()),
    };
    let mut figures = options.figures("api");
    if options.includes("accept") {
        accept::as_shipped(&setup, options, &mut figures).await?;
    }
    if options.includes("slow") {
        accept::with_slow_commits(&setup, options, &mut figures).await?;
    }
    if options.includes("reading") {
        reading::measure(&setup, options, &mut figures).await?;
    }
    if options.includes("broadcast") {
        broadcast::measure(&setup, options, &mut figures).await?;
    }
    figures.finish()
}
