//! What the programs cost to have: the start and the size of the command line and of the server; and the MCP endpoint beside the same
//! requests.

mod command;
mod server;
mod tools;

use tempfile::TempDir;

use crate::BenchOptions;
use crate::table::folder;

/// Measures the selected parts: `command`, `server`, `tools`.
pub fn run(options: &BenchOptions) -> anyhow::Result<()> {
    let mut figures = options.figures("clients");
    if options.includes("command") {
        command::measure(options, &mut figures)?;
    }
    if options.includes("server") {
        let data = TempDir::with_prefix_in("clients-", folder()?)?;
        server::measure(data.path(), options, &mut figures)?;
    }
    if options.includes("tools") {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let data = TempDir::with_prefix_in("clients-", folder()?)?;
        runtime.block_on(tools::measure(data.path(), options, &mut figures))?;
    }
    figures.finish()
}
