//! Deliveries by the host of the push service, of which the 20 largest have names and all others are one.
//!
//! Endpoints name any host, so their number is bounded. A host has a name while it is among the 20 that took the most since the
//! process began, and what it takes meanwhile is counted under it; anything else is counted as `other`. So no count ever falls, as
//! Prometheus expects of counters: a host that loses its name takes its series along.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_domain::Endpoint;
use hato_service::ports::{FailureTally, Recipient, RecipientId, Settlement};
use lru::LruCache;
use url::Url;

use super::{EXPIRED, FAILED, OutcomeCounts, RETRIED, SENT};

/// Hosts, or origins, that have names; what stands for the rest.
pub const MAX_NAMED: usize = 20;
/// The name of all others.
pub const OTHERS: &str = "other";
/// Hosts without a name that are remembered, for they may grow.
const MAX_REMEMBERED: NonZeroUsize = NonZeroUsize::new(1_024).expect("not zero");

/// What became of the recipients of a page, by the host of their push service.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageTally(BTreeMap<String, OutcomeCounts>);

impl PageTally {
    /// The tally of a page's `attempt`. Those queued again in the same attempt, deferred or unknown after an interruption, are no
    /// deliveries.
    pub fn new(settlement: &Settlement, attempt: u8, recipients: &[Recipient]) -> Self {
        let mut hosts: HashMap<&str, OutcomeCounts> = HashMap::new();
        let retried = retried(settlement, attempt);
        // Those who got their message stand in the order of the recipients.
        let mut sent = settlement.sent.iter().map(|it| it.recipient).peekable();
        for recipient in recipients {
            let host = || Endpoint::written_host(recipient.endpoint.as_str());
            if sent.next_if_eq(&recipient.id).is_some() {
                hosts.entry(host()).or_default()[SENT] += 1;
            } else if retried.contains(&recipient.id) {
                hosts.entry(host()).or_default()[RETRIED] += 1;
            }
        }
        let mut tally = Self::default();
        for (host, counts) in hosts {
            tally.add(normalized(host), counts);
        }
        for failed in &settlement.tallies {
            tally.add_failed(failed);
        }
        tally
    }

    fn add_failed(&mut self, failed: &FailureTally) {
        let mut counts = OutcomeCounts::default();
        let is_expiry = failed.reason == FailureTally::EXPIRED;
        let outcome = if is_expiry { EXPIRED } else { FAILED };
        counts[outcome] = u64::try_from(failed.recipients).unwrap_or_default();
        self.add(failed.host.clone(), counts);
    }

    /// The outcomes at all hosts together.
    pub fn total(&self) -> OutcomeCounts {
        let mut total = OutcomeCounts::default();
        self.0.values().for_each(|counts| add(&mut total, counts));
        total
    }

    fn add(&mut self, host: String, counts: OutcomeCounts) {
        add(self.0.entry(host).or_default(), &counts);
    }
}

/// The deliveries of an engine by host.
#[derive(Default)]
pub struct HostDeliveries(Mutex<Counters>);

struct Counters {
    named: HashMap<String, NamedHost>,
    others: OutcomeCounts,
    /// How much the hosts without a name took.
    remembered: LruCache<String, u64>,
}

struct NamedHost {
    /// What it took since the process began.
    deliveries: u64,
    /// What it took under its name.
    counts: OutcomeCounts,
}

impl HostDeliveries {
    /// Adds a page that is settled.
    pub fn add(&self, tally: &PageTally) {
        let mut counters = self.counters();
        for (host, counts) in &tally.0 {
            counters.add(host, counts);
        }
    }

    /// The hosts that have names, and the rest as [`OTHERS`], with what is counted of each.
    pub fn by_host(&self) -> Vec<(String, OutcomeCounts)> {
        let counters = self.counters();
        let named = counters.named.iter();
        let named = named.map(|(host, named)| (host.clone(), named.counts));
        let others = (OTHERS.to_owned(), counters.others);
        named.chain([others]).collect()
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            named: HashMap::new(),
            others: OutcomeCounts::default(),
            remembered: LruCache::new(MAX_REMEMBERED),
        }
    }
}

impl Counters {
    fn add(&mut self, host: &str, counts: &OutcomeCounts) {
        let deliveries: u64 = counts.iter().sum();
        if let Some(named) = self.named.get_mut(host) {
            named.deliveries += deliveries;
            return add(&mut named.counts, counts);
        }
        let before = self.remembered.pop(host).unwrap_or_default();
        let host = host.to_owned();
        if self.makes_room(before + deliveries) {
            let named = NamedHost {
                deliveries: before + deliveries,
                counts: *counts,
            };
            self.named.insert(host, named);
        } else {
            self.remembered.push(host, before + deliveries);
            add(&mut self.others, counts);
        }
    }

    /// Whether a host that took so much gets a name: the smallest that has one loses it to a larger one.
    fn makes_room(&mut self, deliveries: u64) -> bool {
        if self.named.len() < MAX_NAMED {
            return true;
        }
        let smallest = self.named.iter().min_by_key(|(_, it)| it.deliveries);
        let smallest = smallest.map(|(host, it)| (host.clone(), it.deliveries));
        let Some((host, smallest)) = smallest.filter(|(_, smallest)| *smallest < deliveries) else {
            return false;
        };
        self.named.remove(&host);
        self.remembered.push(host, smallest);
        true
    }
}

fn add(total: &mut OutcomeCounts, counts: &OutcomeCounts) {
    let pairs = total.iter_mut().zip(counts);
    pairs.for_each(|(total, count)| *total += count);
}

/// Those who have used up this attempt and get another.
fn retried(settlement: &Settlement, attempt: u8) -> HashSet<RecipientId> {
    let later = settlement.retries.iter().filter(|it| it.attempt > attempt);
    later.flat_map(|it| it.recipients.iter().copied()).collect()
}

/// The host as a URL has it: in lower case, and in ASCII.
fn normalized(host: &str) -> String {
    let url = Url::parse(&format!("https://{host}/")).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
