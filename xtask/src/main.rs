//! The project's own build steps: everything that browsers download, and the store's query data.

mod files;
mod prepare;
mod publish;
mod script;
mod sdk;
mod site;
mod style;
mod wasm;
mod workspace;

use anyhow::Result;
use clap::Parser;

use crate::site::SitePart;
use crate::workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
enum XtaskCommand {
    /// Builds everything that browsers download into target/site
    Site {
        /// Build quickly: unoptimised wasm, nothing compressed
        #[arg(long)]
        dev: bool,
        /// Build and replace one part only
        #[arg(long, value_enum)]
        only: Option<SitePart>,
    },
    /// Freezes the SDK's current version in sw/releases, from where every later server serves it
    ReleaseSdk,
    /// Writes the query data with which the stores compile without a database
    Prepare {
        /// Change nothing; fail when the data in the repository is out of date
        #[arg(long)]
        check: bool,
    },
}

fn main() -> Result<()> {
    let workspace = Workspace::find()?;
    match XtaskCommand::parse() {
        XtaskCommand::Site { dev, only } => site::build(&workspace, dev, only),
        XtaskCommand::ReleaseSdk => sdk::release(&workspace),
        XtaskCommand::Prepare { check } => prepare::run(&workspace, check),
    }
}
