//! What came of all requests.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use super::deed::Deed;
use super::lock;

#[derive(Default)]
pub struct SoakResults {
    /// How often a deed came to something.
    outcomes: Mutex<BTreeMap<Deed, BTreeMap<String, u64>>>,
    /// Subscriptions that were registered with the small app.
    pub registered: Mutex<u64>,
    /// How many messages each browser has coming from sends to it alone.
    pub sent_alone: Mutex<HashMap<String, u64>>,
    /// Sends to everybody.
    pub sends: AtomicU64,
    /// How many connections of strangers the server had, looked at again and again.
    connections: Mutex<Vec<usize>>,
    /// The strangers of whose deed came what is to come of it.
    served: Mutex<HashSet<Ipv4Addr>>,
}

impl SoakResults {
    pub fn count(&self, deed: Deed, outcome: &str) {
        let mut outcomes = lock(&self.outcomes);
        let of_deed = outcomes.entry(deed).or_default();
        *of_deed.entry(outcome.to_owned()).or_default() += 1;
    }

    /// What strangers have not achieved yet: each deed's expected outcome, those that take long included or not.
    pub fn missing(&self, with_slow: bool) -> Vec<(Deed, &'static str)> {
        let outcomes = lock(&self.outcomes);
        let deeds = Deed::all().filter(|deed| with_slow || !deed.is_slow());
        let expected = deeds.flat_map(|deed| deed.expected().iter().map(move |it| (deed, *it)));
        let has_come = |deed: &Deed, expected: &str| {
            let of_deed = outcomes.get(deed);
            of_deed.is_some_and(|it| it.contains_key(expected))
        };
        expected
            .filter(|(deed, outcome)| !has_come(deed, outcome))
            .collect()
    }

    /// Nothing came of a deed but what is expected of it or permitted.
    pub fn assert_legal(&self) {
        for (deed, outcomes) in lock(&self.outcomes).iter() {
            let legal = [deed.expected(), deed.permitted()].concat();
            for outcome in outcomes.keys() {
                assert!(legal.contains(&outcome.as_str()), "{deed:?}: {outcome}");
            }
        }
    }

    /// How many requests were answered, and how many of them because there was no memory for their body.
    pub fn answered(&self) -> (u64, u64) {
        let outcomes = lock(&self.outcomes);
        let all = outcomes.values().flatten();
        let (mut answered, mut overloaded) = (0, 0);
        for (outcome, count) in all.filter(|(it, _)| it.starts_with(|c: char| c.is_ascii_digit())) {
            answered += count;
            if outcome == "503 OVERLOADED" {
                overloaded += count;
            }
        }
        (answered, overloaded)
    }

    /// A table of what became of each deed.
    pub fn table(&self, database: &str) -> String {
        let mut table =
            format!("| {database}: strangers | what came of it, how often |\n|---|---|\n");
        for (deed, outcomes) in lock(&self.outcomes).iter() {
            let outcomes = outcomes.iter().map(|(it, count)| format!("{it}: {count}"));
            let outcomes = outcomes.collect::<Vec<_>>().join("; ");
            writeln!(table, "| {deed:?} | {outcomes} |").expect("a string takes any text");
        }
        table
    }

    pub fn note_sent_alone(&self, browser: &str) {
        let mut sent_alone = lock(&self.sent_alone);
        *sent_alone.entry(browser.to_owned()).or_default() += 1;
    }

    pub fn note_connections(&self, open: usize) {
        lock(&self.connections).push(open);
    }

    pub fn note_served(&self, stranger: Ipv4Addr) {
        lock(&self.served).insert(stranger);
    }

    pub fn served(&self) -> usize {
        lock(&self.served).len()
    }

    /// The most connections that the server had at a time.
    pub fn peak_connections(&self) -> usize {
        lock(&self.connections).iter().copied().max().unwrap_or(0)
    }

    /// How many it had at least for half of the time.
    pub fn median_connections(&self) -> usize {
        let mut sorted = lock(&self.connections).clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    }
}
