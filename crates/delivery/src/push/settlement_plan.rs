//! From the outcomes of a page to what is to be recorded of it (CONTRACT 7): which recipients are tried again and when, which have
//! finally failed. Arithmetic of attempts and times, without a clock of its own, so that every rule can be tested. What it computes
//! is written by `crates/store/shared/settlement.rs`, in one transaction.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use hato_domain::{FailureDetail, FailureReason, Schedule, UnixMillis};
use hato_service::ports::{
    ClaimedPage, ExpiredRecipient, FailureTally, NewDeadLetter, Recipient, RecipientId, RetryJob,
    SentRecipient, Settlement,
};

use crate::push::response::{DeferralCause, MAX_PUSH_RETRY_AFTER, PushOutcome};

/// How long a push service may hold a recipient back, counted from acceptance, unless the message's TTL ends before (CONTRACT 7).
const MAX_DEFERRED_AGE: Duration = Duration::from_hours(24);

/// The outcomes that are known, by recipient.
pub type PushOutcomes = HashMap<RecipientId, PushOutcome>;

/// Most different waits of a page's recipients that are left as they are.
const MAX_EXACT_WAITS: usize = 32;

/// How long the push service is to keep the message, in whole seconds, and at least one unless the sender gave 0; None when its time is
/// over. The first attempt of an ordinary send carries the TTL as given, any other what is left of it (CONTRACT 7, 14).
pub fn ttl_left(page: &ClaimedPage, now: UnixMillis) -> Option<Duration> {
    let accepted = Duration::from_secs(page.ttl.seconds().into());
    let is_first = page.attempt == 0;
    if is_first && page.schedule == Schedule::default() {
        return Some(accepted);
    }
    if page.ends_at().is_some_and(|end| end <= now) {
        return None;
    }
    if accepted.is_zero() {
        return Some(accepted);
    }
    let left = accepted.saturating_sub(now.since(page.accepted_at));
    let left = if is_first {
        whole_seconds(left)
    } else {
        begun_seconds(left)
    };
    let until_expiry = page.schedule.expires_at().map(|end| end.since(now));
    Some(until_expiry.map_or(left, |until| left.min(begun_seconds(until))))
}

/// The reason why a recipient who is deferred until `then` is given up instead: the message's time is over by then. What waits for
/// this machine has no other bound, for it is to go on when the machine has recovered. Nor has what waits for a push service when
/// its send goes slowly: nobody knows when its turn came.
fn too_late(page: &ClaimedPage, then: UnixMillis, cause: DeferralCause) -> Option<FailureReason> {
    let is_over = page.ends_at().is_some_and(|end| end <= then);
    match cause {
        DeferralCause::PushService => {
            let age = then.since(page.accepted_at);
            let is_held_back = page.schedule.pace().is_none() && age >= MAX_DEFERRED_AGE;
            (is_over || is_held_back).then_some(FailureReason::Throttled)
        }
        DeferralCause::ThisMachine => is_over.then_some(FailureReason::OutOfTime),
    }
}

/// How long the whole page waits, when this machine could not try any of its recipients and it is not too late for them by then:
/// nothing is to be recorded of it.
pub fn machine_wait(
    page: &ClaimedPage,
    recipients: &[Recipient],
    outcomes: &PushOutcomes,
    now: UnixMillis,
) -> Option<Duration> {
    let wait = |outcome: Option<&PushOutcome>| match outcome {
        Some(PushOutcome::Deferred {
            wait,
            cause: DeferralCause::ThisMachine,
        }) => Some(*wait),
        _ => None,
    };
    let waits = recipients.iter().map(|it| wait(outcomes.get(&it.id)));
    let longest = waits.collect::<Option<Vec<_>>>()?.into_iter().max()?;
    let too_late = too_late(page, now.plus(longest), DeferralCause::ThisMachine);
    too_late.is_none().then_some(longest)
}

/// What is recorded of a page at `now`, after the waits `delays`. Recipients without an outcome are due again at once, in
/// the same attempt; so are deferred ones, when their wait is over, unless the message's time is over by then.
pub fn settlement(
    page: &ClaimedPage,
    recipients: &[Recipient],
    outcomes: &PushOutcomes,
    delays: &[Duration; 3],
    now: UnixMillis,
) -> Settlement {
    let mut builder = SettlementBuilder::new(page, delays);
    for recipient in recipients {
        builder.add(recipient, outcomes.get(&recipient.id));
    }
    builder.build(now)
}

/// What is recorded when every recipient has finally failed for one reason, after so many attempts and without a response.
pub fn all_failed(
    page: &ClaimedPage,
    recipients: &[Recipient],
    reason: FailureReason,
    attempts: u8,
) -> Settlement {
    let mut builder = SettlementBuilder::new(page, &[Duration::ZERO; 3]);
    for recipient in recipients {
        builder.dead_letter(recipient, reason, None, attempts, None);
    }
    builder.build(page.accepted_at)
}

/// Recipients by the attempt to come and the wait before it.
type Waits = BTreeMap<(u8, Duration), Vec<RecipientId>>;

struct SettlementBuilder<'a> {
    page: &'a ClaimedPage,
    delays: &'a [Duration; 3],
    settled: Settlement,
    waits: Waits,
    /// Deferred recipients, by host and cause, and the longest wait among them.
    deferred: BTreeMap<(String, DeferralCause), (Duration, Vec<&'a Recipient>)>,
    /// Final failures by host and reason.
    tallies: BTreeMap<(String, &'static str), i64>,
}

impl<'a> SettlementBuilder<'a> {
    fn new(page: &'a ClaimedPage, delays: &'a [Duration; 3]) -> Self {
        Self {
            page,
            delays,
            settled: Settlement::default(),
            waits: Waits::new(),
            deferred: BTreeMap::new(),
            tallies: BTreeMap::new(),
        }
    }

    fn add(&mut self, recipient: &'a Recipient, outcome: Option<&PushOutcome>) {
        match outcome {
            Some(PushOutcome::Sent { status }) => self.sent(recipient, *status),
            Some(PushOutcome::Expired { status }) => self.expired(recipient, *status),
            Some(PushOutcome::Deferred { wait, cause }) => self.defer(recipient, *wait, *cause),
            Some(PushOutcome::Failed {
                reason,
                status,
                detail,
            }) => {
                // Without a status no request was begun.
                let attempts = self.page.attempt + u8::from(status.is_some());
                self.dead_letter(recipient, *reason, *status, attempts, detail.clone());
            }
            Some(PushOutcome::Retry {
                reason,
                status,
                after,
                detail,
            }) => {
                let attempts = self.page.attempt + 1;
                if let Some(wait) = self.wait(*after) {
                    self.queue(recipient.id, attempts, wait);
                } else {
                    self.dead_letter(recipient, *reason, *status, attempts, detail.clone());
                }
            }
            None => self.queue(recipient.id, self.page.attempt, Duration::ZERO),
        }
    }

    fn sent(&mut self, recipient: &Recipient, http_status: u16) {
        self.settled.sent.push(SentRecipient {
            recipient: recipient.id,
            http_status,
        });
    }

    fn expired(&mut self, recipient: &Recipient, http_status: u16) {
        self.tally(recipient, FailureTally::EXPIRED);
        self.settled.expired.push(ExpiredRecipient {
            recipient: recipient.id,
            http_status,
        });
    }

    fn dead_letter(
        &mut self,
        recipient: &Recipient,
        reason: FailureReason,
        http_status: Option<u16>,
        attempts: u8,
        detail: Option<FailureDetail>,
    ) {
        self.tally(recipient, reason.as_str());
        self.settled.dead_letters.push(NewDeadLetter {
            recipient: recipient.id,
            reason,
            http_status,
            attempts,
            detail,
        });
    }

    fn tally(&mut self, recipient: &Recipient, reason: &'static str) {
        *self.tallies.entry((host(recipient), reason)).or_default() += 1;
    }

    fn queue(&mut self, recipient: RecipientId, attempt: u8, wait: Duration) {
        self.waits
            .entry((attempt, wait))
            .or_default()
            .push(recipient);
    }

    fn defer(&mut self, recipient: &'a Recipient, wait: Duration, cause: DeferralCause) {
        let line = self.deferred.entry((host(recipient), cause)).or_default();
        line.0 = line.0.max(wait);
        line.1.push(recipient);
    }

    /// Queues those who were deferred, each host's together and for the longest of their waits, or there would be a job for each
    /// recipient. Waiting is no attempt, so only time ends it.
    fn queue_deferred(&mut self, now: UnixMillis) {
        let attempt = self.page.attempt;
        for ((_, cause), (wait, recipients)) in std::mem::take(&mut self.deferred) {
            let wait = whole_seconds(wait);
            match too_late(self.page, now.plus(wait), cause) {
                Some(reason) => recipients
                    .iter()
                    .for_each(|it| self.dead_letter(it, reason, None, attempt, None)),
                None => self
                    .waits
                    .entry((attempt, wait))
                    .or_default()
                    .extend(recipients.iter().map(|it| it.id)),
            }
        }
    }

    /// The wait before the next attempt, if there is one.
    fn wait(&self, retry_after: Option<Duration>) -> Option<Duration> {
        let delay = *self.delays.get(usize::from(self.page.attempt))?;
        let retry_after = whole_seconds(retry_after.unwrap_or_default().min(MAX_PUSH_RETRY_AFTER));
        Some(delay.max(retry_after))
    }

    fn build(mut self, now: UnixMillis) -> Settlement {
        self.queue_deferred(now);
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
        let until_end = self.page.ends_at().map(|end| end.since(now));
        let waits = few(self.waits, until_end).into_iter();
        self.settled.retries = waits.map(job).collect();
        self.settled.tallies = self.tallies.into_iter().map(tally).collect();
        self.settled
    }
}

/// The same, unless they are very many: push services of somebody's own may ask each recipient to wait for another time. Then the waits are
/// rounded up to an eighth of a power of two, but not past an hour, nor past the message's end, if they were shorter.
fn few(waits: Waits, until_end: Option<Duration>) -> Waits {
    if waits.len() <= MAX_EXACT_WAITS {
        return waits;
    }
    let before_end = until_end.map(|it| it.saturating_sub(Duration::from_secs(1)));
    let bounds = [Some(MAX_PUSH_RETRY_AFTER), before_end];
    let mut rounded = Waits::new();
    for ((attempt, wait), recipients) in waits {
        let bounds = bounds.into_iter().flatten().filter(|it| *it >= wait);
        let wait = bounds.fold(rounded_up(wait), Duration::min);
        rounded
            .entry((attempt, wait))
            .or_default()
            .extend(recipients);
    }
    rounded
}

/// To whole seconds, and from 16 s on to an eighth of a power of two.
fn rounded_up(wait: Duration) -> Duration {
    let seconds = whole_seconds(wait).as_secs();
    let step = 1 << seconds.max(1).ilog2().saturating_sub(3);
    Duration::from_secs(seconds.div_ceil(step).saturating_mul(step))
}

/// Waits that differ by moments would make a job for each recipient: what a push service asks for is rounded up.
fn whole_seconds(wait: Duration) -> Duration {
    Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
}

/// The whole seconds of this time, and at least one.
fn begun_seconds(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs().max(1))
}

fn host(recipient: &Recipient) -> String {
    let url = recipient.endpoint.to_url().ok();
    let host = url.as_ref().and_then(|url| url.host_str());
    host.unwrap_or_default().to_owned()
}
