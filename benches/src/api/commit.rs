//! What a commit costs here, and a library that makes it cost more: preloaded, it delays fsync and fdatasync, and the product
//! knows nothing of it.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use rusqlite::Connection;
use tokio::process::Command;

use crate::figures::Summary;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/slow-fsync.c");
const COMMITS: usize = 300;

/// Compiles the library into the folder; its path.
pub async fn build_delay(folder: &Path) -> anyhow::Result<String> {
    let library = folder.join("slow-fsync.so");
    let mut command = Command::new("cc");
    command
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(SOURCE);
    ensure!(
        command.status().await?.success(),
        "cc cannot compile {SOURCE}"
    );
    Ok(library.to_str().context("a path in UTF-8")?.to_owned())
}

/// Milliseconds of a small commit with synchronous=FULL in a new file there, by a process with this library preloaded.
pub async fn cost(file: &Path, preloaded: Option<&str>) -> anyhow::Result<Summary> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("commit-probe").arg(file).stdout(Stdio::piped());
    if let Some(library) = preloaded {
        command.env("LD_PRELOAD", library);
    }
    let output = command.output().await?;
    ensure!(output.status.success(), "the probe failed");
    let times: Vec<f64> = serde_json::from_slice(&output.stdout)?;
    Ok(Summary::from_values(times))
}

/// The process behind [`cost`]: prints what each commit took.
pub fn probe(arguments: &[String]) -> anyhow::Result<()> {
    let file = arguments.first().context("where to commit")?;
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (text TEXT);",
    )?;
    let times: rusqlite::Result<Vec<f64>> = (0..COMMITS).map(|_| commit(&connection)).collect();
    println!("{}", serde_json::to_string(&times?)?);
    Ok(())
}

fn commit(connection: &Connection) -> rusqlite::Result<f64> {
    let started = Instant::now();
    connection.execute("INSERT INTO t VALUES (hex(randomblob(100)))", [])?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}
