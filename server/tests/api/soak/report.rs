//! The figures of a run, as docs/RELIABILITY.md has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hato_testkit::seeded_rng::Rng;

use super::customers::{CustomerTimes, TimeSummary};
use super::{Soak, process};

/// The times of all requests together, and those of each kind.
struct MeasuredTimes {
    all: TimeSummary,
    by_kind: BTreeMap<&'static str, TimeSummary>,
}

impl MeasuredTimes {
    fn of(times: CustomerTimes) -> Self {
        Self {
            all: times.summary(),
            by_kind: times.summaries(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, &TimeSummary)> {
        let kinds = self.by_kind.iter().map(|(kind, summary)| (*kind, summary));
        iter::once(("all", &self.all)).chain(kinds)
    }
}

/// What was measured on a database.
pub struct SoakReport {
    database: &'static str,
    /// The most memory of the server before there were strangers, and in all, in bytes.
    memory_alone: u64,
    pub memory: u64,
    /// The customers' times without strangers and beside them.
    alone: MeasuredTimes,
    beside: MeasuredTimes,
}

impl SoakReport {
    /// Measures without strangers and beside them. The long run warms up and does both twice, in turns.
    pub async fn measure(soak: &Arc<Soak>, rng: &mut Rng) -> Self {
        let (time, strangers) = (soak.extent.time, soak.extent.strangers);
        let is_postgres = soak.server.database().is_postgres();
        if soak.extent.is_long {
            soak.measure(0, Duration::ZERO, rng).await;
        }
        let mut alone = soak.measure(0, time, rng).await;
        let memory_alone = process::peak_memory(&soak.server);
        let mut beside = soak.measure(strangers, time, rng).await;
        if soak.extent.is_long {
            alone.add(soak.measure(0, time, rng).await);
            beside.add(soak.measure(strangers, time, rng).await);
        }
        Self {
            database: if is_postgres { "PostgreSQL" } else { "SQLite" },
            memory_alone,
            memory: process::peak_memory(&soak.server),
            alone: MeasuredTimes::of(alone),
            beside: MeasuredTimes::of(beside),
        }
    }

    /// Nobody waits more than so many times as long because of strangers, whatever is asked for.
    pub fn assert_not_slower(&self, most: f64) {
        for ((kind, alone), (_, beside)) in self.alone.rows().zip(self.beside.rows()) {
            let (alone, beside) = (alone.p99, beside.p99);
            assert!(
                beside <= alone * most,
                "{kind}: {beside} ms, and {alone} ms alone"
            );
        }
    }

    /// One row for the run, one for each kind of request, and one for each deed of strangers.
    pub fn tables(&self, soak: &Soak, extra_copies: u32) -> String {
        let database = self.database;
        let (answered, overloaded) = soak.results.answered();
        let mut tables = format!(
            "| database | most connections at a time | for half of the time at least | strangers that were served | requests of strangers that were answered | of them with OVERLOADED | sends | recipients of each | most bytes of memory before strangers | and beside them | lost | extra copies |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|\n| {database} | {} | {} | {} | {answered} | {overloaded} | {} | {} | {} | {} | 0 | {extra_copies} |\n\n\
             | {database}: request | number | p99 without strangers | longest | number | p99 beside them | longest | ratio of p99 |\n\
             |---|---|---|---|---|---|---|---|\n",
            soak.results.peak_connections(),
            soak.results.median_connections(),
            soak.results.served(),
            soak.results.sends.load(Ordering::Relaxed),
            soak.extent.recipients,
            self.memory_alone,
            self.memory,
        );
        for ((kind, alone), (_, beside)) in self.alone.rows().zip(self.beside.rows()) {
            let ratio = beside.p99 / alone.p99;
            let row = format!("| {kind} | {alone} | {beside} | {ratio:.2} |");
            writeln!(tables, "{row}").expect("a string takes any text");
        }
        tables + "\n" + &soak.results.table(database)
    }
}
