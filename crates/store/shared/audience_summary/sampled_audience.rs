//! Counts those who are looked at: by push service, by age, and who of them took the last send.

use std::collections::HashMap;

use futures_util::TryStreamExt as _;
use hato_domain::{Endpoint, PositionSet, UnixMillis};
use hato_service::ports::{AudienceSummary, ReachCount};
use tokio::task::yield_now;

use super::AudienceMemberRows;
use crate::reach_blocks::ReachBlocks;
use crate::values::count_i64;

/// Most push services that are named.
const MAX_HOSTS: usize = 20;
const OTHER_HOSTS: &str = "other";
const DAY_MILLIS: i64 = 86_400_000;
/// How many are looked at until others have their turn on this thread.
const YIELD_INTERVAL: usize = 256;

/// Where somebody stands, and the numbers of their age and host.
struct Seen {
    position: i64,
    age: usize,
    host: usize,
}

/// Those who were looked at, and what was counted of them.
#[derive(Default)]
pub(super) struct SampledAudience {
    seen: Vec<Seen>,
    /// The number of each host, which is its place in `by_host`.
    hosts: HashMap<String, usize>,
    by_host: Vec<ReachCount>,
    by_age: [ReachCount; 4],
}

impl SampledAudience {
    /// Notes who stands in these rows.
    pub(super) async fn read(
        &mut self,
        mut rows: AudienceMemberRows<'_>,
        now: UnixMillis,
    ) -> sqlx::Result<()> {
        while let Some(row) = rows.try_next().await? {
            let host = self.host_number(Endpoint::written_host(&row.endpoint));
            self.seen.push(Seen {
                position: row.position,
                age: age_group(now.0 - row.created_at),
                host,
            });
            if self.seen.len().is_multiple_of(YIELD_INTERVAL) {
                yield_now().await;
            }
        }
        Ok(())
    }

    fn host_number(&mut self, host: &str) -> usize {
        if let Some(number) = self.hosts.get(host) {
            return *number;
        }
        let number = self.hosts.len();
        self.hosts.insert(host.to_owned(), number);
        number
    }

    pub(super) const fn len(&self) -> usize {
        self.seen.len()
    }

    /// Where those who were looked at stand.
    pub(super) fn positions(&self) -> impl Iterator<Item = i64> {
        self.seen.iter().map(|seen| seen.position)
    }

    /// Where the one who was looked at last stands; 0 before the first.
    pub(super) fn last_position(&self) -> i64 {
        self.seen.last().map_or(0, |seen| seen.position)
    }

    /// Counts everybody, and who of them has answered as these blocks tell.
    pub(super) fn count(&mut self, blocks: &ReachBlocks) {
        self.by_host = vec![ReachCount::default(); self.hosts.len()];
        for seen in &self.seen {
            let block = blocks.get(&PositionSet::block_of(seen.position));
            let answered = block.is_some_and(|block| block.answered_last(seen.position));
            for group in [&mut self.by_age[seen.age], &mut self.by_host[seen.host]] {
                group.recipients += 1;
                group.answered_last_send += i64::from(answered);
            }
        }
    }

    /// The summary, for `recipients` if those that were looked at stand for so many.
    pub(super) fn summary(mut self, recipients: Option<i64>) -> AudienceSummary {
        let seen = count_i64(self.seen.len());
        let all = recipients.unwrap_or(seen);
        let mut by_host = self.named_hosts();
        scale(by_host.iter_mut().map(|(_, group)| group), all, seen);
        scale(self.by_age.iter_mut(), all, seen);
        AudienceSummary {
            recipients: all,
            by_host,
            by_age: self.by_age,
            is_approximate: recipients.is_some(),
        }
    }

    /// The hosts, most recipients first; those beyond [`MAX_HOSTS`] are one.
    fn named_hosts(&mut self) -> Vec<(String, ReachCount)> {
        let hosts = std::mem::take(&mut self.hosts).into_iter();
        let mut named: Vec<(String, ReachCount)> = hosts
            .map(|(host, number)| (host, self.by_host[number]))
            .collect();
        named.sort_unstable_by(|(left_host, left), (right_host, right)| {
            (right.recipients, left_host).cmp(&(left.recipients, right_host))
        });
        let others = named.split_off(MAX_HOSTS.min(named.len()));
        if !others.is_empty() {
            let sum = |count: fn(&ReachCount) -> i64| others.iter().map(|(_, it)| count(it)).sum();
            let others = ReachCount {
                recipients: sum(|it| it.recipients),
                answered_last_send: sum(|it| it.answered_last_send),
            };
            named.push((OTHER_HOSTS.to_owned(), others));
        }
        named
    }
}

/// The number of the age among [`AudienceSummary::AGES`], and behind them.
fn age_group(millis: i64) -> usize {
    let ages = AudienceSummary::AGES.iter();
    ages.take_while(|days| millis > **days * DAY_MILLIS).count()
}

/// Makes counts of `seen` into counts of `all`. The sum of the recipients is `all`.
fn scale<'c>(groups: impl Iterator<Item = &'c mut ReachCount>, all: i64, seen: i64) {
    let (mut sum, mut assigned) = (0, 0);
    for group in groups {
        sum += group.recipients;
        let up_to = scaled(sum, all, seen);
        group.recipients = up_to - assigned;
        assigned = up_to;
        let answered = scaled(group.answered_last_send, all, seen);
        group.answered_last_send = answered.min(group.recipients);
    }
}

/// What `count` of `seen` is of `all`, to the nearest number.
fn scaled(count: i64, all: i64, seen: i64) -> i64 {
    let seen = i128::from(seen.max(1));
    let scaled = (i128::from(count) * i128::from(all) * 2 + seen) / (seen * 2);
    i64::try_from(scaled).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
