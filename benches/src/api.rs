//! Accepting: what concurrency gains when a commit costs, and what reading, and the size of the audience, cost.

mod accept;
mod broadcast;
pub mod commit;
pub mod load;
mod reading;

use std::path::PathBuf;

use tempfile::TempDir;

use crate::Wish;
use crate::audience::Audience;
use crate::hato::{App, notification};
use crate::table::folder;
use load::Request;

/// Nobody is there: these servers only accept.
const ORIGIN: &str = "https://127.0.0.1:9";

/// What all parts use.
struct Stage {
    folder: TempDir,
    audience: Audience,
}

impl Stage {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A send to the first recipient of the audience.
    fn send_to_one(&self, app: &App) -> Request {
        let endpoint = self.audience.endpoint(0);
        Request::post("/api/v1/notify", &app.key, &notification(Some(&endpoint)))
    }
}

/// Measures the parts that are wished for: `accept`, `slow`, `reading`, `broadcast`.
pub fn run(wish: &Wish) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(wish))
}

async fn measure(wish: &Wish) -> anyhow::Result<()> {
    let folder = TempDir::with_prefix_in("api-", folder()?)?;
    let stage = Stage {
        folder,
        audience: Audience::new(ORIGIN.to_owned()),
    };
    let mut figures = wish.figures("api");
    if wish.has("accept") {
        accept::as_shipped(&stage, wish, &mut figures).await?;
    }
    if wish.has("slow") {
        accept::with_slow_commits(&stage, wish, &mut figures).await?;
    }
    if wish.has("reading") {
        reading::measure(&stage, wish, &mut figures).await?;
    }
    if wish.has("broadcast") {
        broadcast::measure(&stage, wish, &mut figures).await?;
    }
    figures.finish()
}
