//! What the other clients cost: the start of the command line, its size, and the MCP endpoint beside the same requests.

mod command;
mod tools;

use tempfile::TempDir;

use crate::Wish;
use crate::table::folder;

/// Measures the parts that are wished for: `command`, `tools`.
pub fn run(wish: &Wish) -> anyhow::Result<()> {
    let mut figures = wish.figures("clients");
    if wish.has("command") {
        command::measure(wish, &mut figures)?;
    }
    if wish.has("tools") {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let data = TempDir::with_prefix_in("clients-", folder()?)?;
        runtime.block_on(tools::measure(data.path(), wish, &mut figures))?;
    }
    figures.finish()
}
