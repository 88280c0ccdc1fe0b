//! An empty PostgreSQL database as a program, for tests in other languages.
//!
//! Prints its URL when it answers, and lives until its standard input closes or SIGTERM comes. Nothing is left of it then.

use std::io::{Write, stdout};

use hato_cluster::{Cluster, Durability};
use hato_testkit::program;

const DATABASE: &str = "hato";

fn main() -> anyhow::Result<()> {
    program::run(run())
}

async fn run() -> anyhow::Result<()> {
    let cluster = Cluster::start(Durability::None)?;
    cluster.create_database(DATABASE)?;
    writeln!(stdout(), "{}", cluster.url(DATABASE))?;
    stdout().flush()?;
    program::wait_for_shutdown().await
}
