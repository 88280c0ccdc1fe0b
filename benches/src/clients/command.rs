//! `hato --version` beside `true`, which does nothing: what a shell pays for starting it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::BenchOptions;
use crate::figures::{FigureTarget, Figures, Summary};

const ROUNDS: usize = 15;
const STARTS: u32 = 40;
/// Where the release build is, unless `HATO_BENCH_CLIENT` says otherwise.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/hato");

pub fn measure(options: &BenchOptions, figures: &mut Figures) -> anyhow::Result<()> {
    let client = std::env::var("HATO_BENCH_CLIENT").unwrap_or_else(|_| CLIENT.to_owned());
    ensure!(
        Path::new(&client).exists(),
        "there is no {client}: run make build first"
    );
    let (mut nothing, mut version) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds(ROUNDS) {
        nothing.push(milliseconds("true", &[])?);
        version.push(milliseconds(&client, &["--version"])?);
    }
    let allowed: Vec<f64> = nothing.iter().map(|true_ms| 1.5 * true_ms + 10.0).collect();
    let share = Summary::from_ratios(&version, &allowed);
    figures.add("true_ms", Summary::from_values(nothing), FigureTarget::None);
    figures.add(
        "hato_version_ms",
        Summary::from_values(version),
        FigureTarget::None,
    );
    figures.add(
        "hato_version_over_allowed",
        share,
        FigureTarget::AtMost(1.0),
    );
    let bytes = std::fs::metadata(&client)?.len() as f64;
    let size = Summary::from_value(bytes / 1e6);
    figures.add("hato_size_mb", size, FigureTarget::AtMost(8.0));
    Ok(())
}

/// Wall time of a start, from its spawning to its end.
fn milliseconds(program: &str, arguments: &[&str]) -> anyhow::Result<f64> {
    let start = Instant::now();
    for _ in 0..STARTS {
        let status = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .status()
            .with_context(|| program.to_owned())?;
        ensure!(status.success(), "{program} ended with {status}");
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(STARTS))
}
