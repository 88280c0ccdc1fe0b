//! The server's program: its size, and how long it takes from its start until it listens, on an empty folder and on one that it has made
//! before.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::server_program;

const ROUNDS: usize = 9;

/// A server that ends with the measurement.
struct MeasuredServer(Child);

impl Drop for MeasuredServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn measure(data: &Path, options: &BenchOptions, figures: &mut Figures) -> anyhow::Result<()> {
    let program = server_program()?;
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        let folder = TempDir::new_in(data)?;
        first.push(milliseconds(&program, folder.path())?);
        later.push(milliseconds(&program, folder.path())?);
    }
    let bytes = fs::metadata(&program)?.len() as f64;
    for (name, summary, target) in [
        (
            "server_size_mb",
            Summary::from_value(bytes / 1e6),
            FigureTarget::AtMost(48.0),
        ),
        (
            "server_first_start_ms",
            Summary::from_values(first),
            FigureTarget::None,
        ),
        (
            "server_start_ms",
            Summary::from_values(later),
            FigureTarget::None,
        ),
    ] {
        figures.add(name, summary, target);
    }
    Ok(())
}

/// Wall time from the spawning until the log says that it listens.
fn milliseconds(program: &str, folder: &Path) -> anyhow::Result<f64> {
    let start = Instant::now();
    let server = Command::new(program)
        .arg("serve")
        .env_clear()
        .env("HATO_LISTEN", "127.0.0.1:0")
        .env("HATO_DATA_DIR", folder)
        .stderr(Stdio::piped())
        .spawn();
    let mut server = MeasuredServer(server.with_context(|| program.to_owned())?);
    let log = server.0.stderr.take().context("no log")?;
    for line in BufReader::new(log).lines() {
        if line?.contains("listening on") {
            return Ok(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    anyhow::bail!("{program} ended before it listened")
}
