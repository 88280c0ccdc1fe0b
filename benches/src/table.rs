//! Interleaved rounds of several candidates, their medians, and the table and file they end in.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Enough that one disturbed round does not move the median.
const ROUNDS: usize = 9;

/// Something measured: its name, and what one round of it does.
pub struct Candidate<'a> {
    pub name: &'static str,
    pub round: Box<dyn FnMut() + 'a>,
}

/// What an operation cost in one round.
struct Cost {
    name: &'static str,
    rounds: Vec<Duration>,
}

/// Runs the candidates in turn and prints their cost per operation, and by how much the first is cheaper: the median and
/// the span of the ratios within a round. Written to `target/bench/<file>.json` too.
pub fn compare(file: &str, operations: u32, candidates: &mut [Candidate]) -> anyhow::Result<()> {
    let mut costs: Vec<Cost> = candidates
        .iter()
        .map(|it| Cost {
            name: it.name,
            rounds: Vec::new(),
        })
        .collect();
    for _ in 0..ROUNDS {
        for (candidate, cost) in candidates.iter_mut().zip(&mut costs) {
            let start = Instant::now();
            (candidate.round)();
            cost.rounds.push(start.elapsed() / operations);
        }
    }
    println!("{file}: µs each, and how many times the first (median [min..max])");
    let rows: Vec<Value> = costs.iter().map(|cost| row(cost, &costs[0])).collect();
    write(file, &json!({ "rounds": ROUNDS, "contestants": rows }))
}

fn row(cost: &Cost, first: &Cost) -> Value {
    let mut ratios: Vec<f64> = cost
        .rounds
        .iter()
        .zip(&first.rounds)
        .map(|(one, other)| one.as_secs_f64() / other.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    let mut rounds = cost.rounds.clone();
    rounds.sort();
    let micros = rounds[ROUNDS / 2].as_secs_f64() * 1e6;
    let (min, median, max) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
    println!(
        "  {:<28} {micros:>8.1}   {median:>5.2} [{min:.2}..{max:.2}]",
        cost.name
    );
    json!({ "name": cost.name, "micros": micros, "ratio": { "median": median, "min": min, "max": max } })
}

/// Writes the table to `target/bench/<file>.json`.
pub fn write(file: &str, table: &Value) -> anyhow::Result<()> {
    let path = folder()?.join(format!("{file}.json"));
    Ok(std::fs::write(path, format!("{table:#}\n"))?)
}

/// `target/bench`, where results and the data of servers go: a disk, where a commit costs what it costs.
pub fn folder() -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.canonicalize()?)
}
