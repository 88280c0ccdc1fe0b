//! All benchmark tables: figures are ratios between programs that take turns in one run.
//!
//! `hato-benches [--quick] encryption | api | delivery | audience | tracking | webhooks | moving | clients | fleet [PART…]` ends with an
//! error when a figure misses its target. `--quick` shows in a minute whether everything works; its figures mean little.

mod api;
mod audience;
mod clients;
mod database;
mod delivery;
mod encryption;
mod figures;
mod fleet;
mod hato;
mod message;
mod moving;
mod postgres;
mod process;
mod selection;
mod sender;
mod sink;
mod slow_hosts;
mod table;
mod tracking;
mod webhooks;

use figures::Figures;

/// What the command line asks for.
pub struct BenchOptions {
    /// Runs few and short rounds, to see whether a benchmark works at all.
    pub quick: bool,
    /// The parts of a benchmark; none means all.
    parts: Vec<String>,
}

impl BenchOptions {
    /// Whether this part of a benchmark is to run.
    pub fn includes(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|name| name == part)
    }

    /// `count`, or much less of it for a quick run.
    pub fn scaled(&self, count: u64) -> u64 {
        if self.quick { count / 20 } else { count }
    }

    /// Rounds of a measurement that has `usual` of them.
    pub fn rounds(&self, usual: usize) -> usize {
        if self.quick { 2 } else { usual }
    }

    /// A table under this name, which becomes the record when everything was measured in full.
    fn figures(&self, name: &str) -> Figures {
        let whole = self.parts.is_empty() && !self.quick;
        let name = if whole {
            name.to_owned()
        } else {
            format!("{name}-part")
        };
        Figures::new(name, !self.quick)
    }
}

fn main() -> anyhow::Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let quick = words.first().is_some_and(|word| word == "--quick");
    if quick {
        words.remove(0);
    }
    anyhow::ensure!(!words.is_empty(), "which benchmark?");
    let name = words.remove(0);
    let options = BenchOptions {
        quick,
        parts: words,
    };
    match name.as_str() {
        "encryption" => encryption::run(),
        "api" => api::run(&options),
        "delivery" => delivery::run(&options),
        "audience" => selection::run(&options),
        "tracking" => tracking::run(&options),
        "webhooks" => webhooks::run(&options),
        "moving" => moving::run(&options),
        "clients" => clients::run(&options),
        "fleet" => fleet::run(&options),
        // The same program in its other processes.
        "sink" => sink::process::run(&options.parts),
        "slow-hosts" => slow_hosts::run(&options.parts),
        "commit-probe" => api::commit::probe(&options.parts),
        other => anyhow::bail!("there is no benchmark {other}"),
    }
}
