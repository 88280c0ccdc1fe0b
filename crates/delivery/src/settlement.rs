//! From the outcomes of a page to what is recorded of it: pure arithmetic of attempts and times.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use hato_domain::{FailureReason, UnixMillis};
use hato_service::ports::{
    ClaimedPage, DeadLetter, Expired, FailureTally, Recipient, RecipientId, RetryJob, Sent,
    Settlement,
};

use crate::answer::Outcome;

/// The longest wait that a push service may ask for (CONTRACT 7).
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// How long somebody is put off at most, counted from acceptance, whose message push services are not to keep.
const LONGEST_PUT_OFF: Duration = Duration::from_hours(24);

/// Whose outcome is known, by recipient.
pub type Outcomes = HashMap<RecipientId, Outcome>;

/// How long the push service is to keep the message: the first attempt as given, a retry what is left counted from
/// acceptance, in whole seconds and at least one; None when nothing is left (CONTRACT 7).
pub fn ttl_left(page: &ClaimedPage, now: UnixMillis) -> Option<Duration> {
    let given = Duration::from_secs(page.ttl.seconds().into());
    if page.attempt == 0 || given.is_zero() {
        return Some(given);
    }
    let left = given
        .checked_sub(now.since(page.accepted_at))
        .filter(|left| !left.is_zero())?;
    Some(Duration::from_secs(left.as_secs().max(1)))
}

/// Why somebody who is put off until `then` is not waited for any longer.
fn too_late(page: &ClaimedPage, then: UnixMillis) -> Option<FailureReason> {
    let age = then.since(page.accepted_at);
    match Duration::from_secs(page.ttl.seconds().into()) {
        Duration::ZERO => (age > LONGEST_PUT_OFF).then_some(FailureReason::Throttled),
        ttl => (age >= ttl).then_some(FailureReason::OutOfTime),
    }
}

/// What is recorded of a page at `now`, after the waits `delays`. Recipients without an outcome are due again at once, in
/// the same attempt; so are those that were put off, when their wait is over, unless the message's time is over by then.
pub fn settlement(
    page: &ClaimedPage,
    recipients: &[Recipient],
    outcomes: &Outcomes,
    delays: &[Duration; 3],
    now: UnixMillis,
) -> Settlement {
    let mut draft = Draft::new(page, delays);
    for recipient in recipients {
        draft.add(recipient, outcomes.get(&recipient.id));
    }
    draft.finish(now)
}

/// Every recipient finally failed for one reason, without an answer.
pub fn all_failed(
    page: &ClaimedPage,
    recipients: &[Recipient],
    reason: FailureReason,
) -> Settlement {
    let mut draft = Draft::new(page, &[Duration::ZERO; 3]);
    for recipient in recipients {
        draft.bury(recipient, reason, None);
    }
    draft.finish(page.accepted_at)
}

struct Draft<'a> {
    page: &'a ClaimedPage,
    delays: &'a [Duration; 3],
    settled: Settlement,
    /// Recipients by the attempt to come and the wait before it.
    waits: BTreeMap<(u8, Duration), Vec<RecipientId>>,
    /// Recipients that were put off, by host, and the longest wait among them.
    put_off: BTreeMap<String, (Duration, Vec<&'a Recipient>)>,
    /// Final failures by host and reason.
    tallies: BTreeMap<(String, &'static str), i64>,
}

impl<'a> Draft<'a> {
    fn new(page: &'a ClaimedPage, delays: &'a [Duration; 3]) -> Self {
        Self {
            page,
            delays,
            settled: Settlement::default(),
            waits: BTreeMap::new(),
            put_off: BTreeMap::new(),
            tallies: BTreeMap::new(),
        }
    }

    fn add(&mut self, recipient: &'a Recipient, outcome: Option<&Outcome>) {
        match outcome.copied() {
            Some(Outcome::Sent { status }) => self.take(recipient, status),
            Some(Outcome::Expired { status }) => self.expire(recipient, status),
            Some(Outcome::Failed { reason, status }) => self.bury(recipient, reason, status),
            Some(Outcome::Retry {
                reason,
                status,
                after,
            }) => match self.wait(after) {
                Some(wait) => self.again(recipient.id, self.page.attempt + 1, wait),
                None => self.bury(recipient, reason, status),
            },
            Some(Outcome::PutOff { wait }) => self.put_off(recipient, wait),
            None => self.again(recipient.id, self.page.attempt, Duration::ZERO),
        }
    }

    fn take(&mut self, recipient: &Recipient, http_status: u16) {
        self.settled.sent.push(Sent {
            recipient: recipient.id,
            http_status,
        });
    }

    fn expire(&mut self, recipient: &Recipient, http_status: u16) {
        self.tally(recipient, EXPIRED);
        self.settled.expired.push(Expired {
            recipient: recipient.id,
            http_status,
        });
    }

    fn bury(&mut self, recipient: &Recipient, reason: FailureReason, http_status: Option<u16>) {
        self.tally(recipient, reason.as_str());
        self.settled.dead_letters.push(DeadLetter {
            recipient: recipient.id,
            reason,
            http_status,
        });
    }

    fn tally(&mut self, recipient: &Recipient, reason: &'static str) {
        *self.tallies.entry((host(recipient), reason)).or_default() += 1;
    }

    fn again(&mut self, recipient: RecipientId, attempt: u8, wait: Duration) {
        self.waits
            .entry((attempt, wait))
            .or_default()
            .push(recipient);
    }

    fn put_off(&mut self, recipient: &'a Recipient, wait: Duration) {
        let (longest, recipients) = self.put_off.entry(host(recipient)).or_default();
        *longest = (*longest).max(wait);
        recipients.push(recipient);
    }

    /// Waiting is no attempt, so only time ends it.
    fn queue_put_off(&mut self, now: UnixMillis) {
        for (wait, recipients) in std::mem::take(&mut self.put_off).into_values() {
            let wait = whole_seconds(wait);
            match too_late(self.page, now.plus(wait)) {
                Some(reason) => recipients.iter().for_each(|it| self.bury(it, reason, None)),
                None => self
                    .waits
                    .entry((self.page.attempt, wait))
                    .or_default()
                    .extend(recipients.iter().map(|it| it.id)),
            }
        }
    }

    /// The wait before the next attempt, if there is one.
    fn wait(&self, asked: Option<Duration>) -> Option<Duration> {
        let delay = *self.delays.get(usize::from(self.page.attempt))?;
        let asked = whole_seconds(asked.unwrap_or_default().min(LONGEST_WAIT));
        Some(delay.max(asked))
    }

    fn finish(mut self, now: UnixMillis) -> Settlement {
        self.queue_put_off(now);
        let job = |((attempt, wait), recipients)| RetryJob {
            recipients,
            attempt,
            due_at: now.plus(wait),
        };
        let tally = |((host, reason), recipients)| FailureTally {
            host,
            reason,
            recipients,
        };
        self.settled.retries = self.waits.into_iter().map(job).collect();
        self.settled.tallies = self.tallies.into_iter().map(tally).collect();
        self.settled
    }
}

/// The reason under which gone subscriptions are tallied.
const EXPIRED: &str = "expired";

/// Waits that differ by moments would make a job for each recipient: what a push service asks for is rounded up.
fn whole_seconds(wait: Duration) -> Duration {
    Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
}

fn host(recipient: &Recipient) -> String {
    let url = recipient.endpoint.to_url().ok();
    let host = url.as_ref().and_then(|url| url.host_str());
    host.unwrap_or_default().to_owned()
}
