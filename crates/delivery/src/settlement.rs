//! From the outcomes of a page to what is recorded of it: pure arithmetic of attempts and times.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use hato_domain::{FailureReason, UnixMillis};
use hato_service::ports::{ClaimedPage, DeadLetter, Expired, RecipientId, RetryJob, Settlement};

use crate::answer::Outcome;

/// The longest wait that a push service may ask for (CONTRACT 7).
const LONGEST_WAIT: Duration = Duration::from_hours(1);

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

/// What is recorded of a page at `now`, after the waits `delays`. Recipients without an outcome are due again at once, in
/// the same attempt.
pub fn settlement(
    page: &ClaimedPage,
    recipients: &[RecipientId],
    outcomes: &Outcomes,
    delays: &[Duration; 3],
    now: UnixMillis,
) -> Settlement {
    let mut draft = Draft {
        page,
        delays,
        settled: Settlement::default(),
        waits: BTreeMap::new(),
    };
    for recipient in recipients {
        draft.add(*recipient, outcomes.get(recipient));
    }
    draft.finish(now)
}

/// Every recipient finally failed for one reason, without an answer.
pub fn all_failed(recipients: &[RecipientId], reason: FailureReason) -> Settlement {
    let dead_letter = |&recipient| DeadLetter {
        recipient,
        reason,
        http_status: None,
    };
    let dead_letters = recipients.iter().map(dead_letter).collect();
    Settlement {
        dead_letters,
        ..Settlement::default()
    }
}

struct Draft<'a> {
    page: &'a ClaimedPage,
    delays: &'a [Duration; 3],
    settled: Settlement,
    /// Recipients by the attempt to come and the wait before it.
    waits: BTreeMap<(u8, Duration), Vec<RecipientId>>,
}

impl Draft<'_> {
    fn add(&mut self, recipient: RecipientId, outcome: Option<&Outcome>) {
        match outcome.copied() {
            Some(Outcome::Sent) => self.settled.sent += 1,
            Some(Outcome::Expired { status }) => {
                self.settled.expired.push(Expired {
                    recipient,
                    http_status: status,
                });
            }
            Some(Outcome::Failed { reason, status }) => self.bury(recipient, reason, status),
            Some(Outcome::Retry {
                reason,
                status,
                after,
            }) => match self.wait(after) {
                Some(wait) => self.again(recipient, self.page.attempt + 1, wait),
                None => self.bury(recipient, reason, status),
            },
            None => self.again(recipient, self.page.attempt, Duration::ZERO),
        }
    }

    fn bury(&mut self, recipient: RecipientId, reason: FailureReason, http_status: Option<u16>) {
        self.settled.dead_letters.push(DeadLetter {
            recipient,
            reason,
            http_status,
        });
    }

    fn again(&mut self, recipient: RecipientId, attempt: u8, wait: Duration) {
        self.waits
            .entry((attempt, wait))
            .or_default()
            .push(recipient);
    }

    /// The wait before the next attempt, if there is one.
    fn wait(&self, asked: Option<Duration>) -> Option<Duration> {
        let delay = *self.delays.get(usize::from(self.page.attempt))?;
        Some(delay.max(asked.unwrap_or_default().min(LONGEST_WAIT)))
    }

    fn finish(mut self, now: UnixMillis) -> Settlement {
        let jobs = self
            .waits
            .into_iter()
            .map(|((attempt, wait), recipients)| RetryJob {
                recipients,
                attempt,
                due_at: now.plus(wait),
            });
        self.settled.retries = jobs.collect();
        self.settled
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hato_domain::{AppId, FailureReason, SendId, Ttl, UnixMillis};
    use hato_service::ports::{
        ClaimedPage, DeadLetter, Expired, JobId, Lease, PageRange, RecipientId, RetryJob,
        Settlement,
    };

    use super::{Outcomes, settlement, ttl_left};
    use crate::answer::Outcome;

    const NOW: UnixMillis = UnixMillis(1_000_000);
    const DELAYS: [Duration; 3] = [
        Duration::from_secs(5),
        Duration::from_mins(1),
        Duration::from_hours(2),
    ];

    fn page(attempt: u8, ttl: i64) -> ClaimedPage {
        ClaimedPage {
            lease: Lease {
                job: JobId(1),
                token: 1,
            },
            send_id: SendId::trusted("snd_1".into()),
            app_id: AppId::trusted("app_1".into()),
            range: PageRange::List(Vec::new()),
            attempt,
            payload: String::new(),
            ttl: Ttl::parse(ttl).expect("a TTL"),
            urgency: None,
            topic: None,
            accepted_at: UnixMillis(0),
            vapid_public_key: Vec::new(),
            sealed_private_key: Vec::new(),
        }
    }

    fn retry(after: Option<u64>) -> Outcome {
        Outcome::Retry {
            reason: FailureReason::Throttled,
            status: Some(429),
            after: after.map(Duration::from_secs),
        }
    }

    fn settle(attempt: u8, outcomes: &[(i64, Option<Outcome>)]) -> Settlement {
        let recipients: Vec<_> = outcomes.iter().map(|(id, _)| RecipientId(*id)).collect();
        let known: Outcomes = outcomes
            .iter()
            .filter_map(|(id, it)| Some((RecipientId(*id), (*it)?)))
            .collect();
        settlement(&page(attempt, 60), &recipients, &known, &DELAYS, NOW)
    }

    fn job(attempt: u8, seconds: u64, recipients: &[i64]) -> RetryJob {
        RetryJob {
            recipients: recipients.iter().copied().map(RecipientId).collect(),
            attempt,
            due_at: NOW.plus(Duration::from_secs(seconds)),
        }
    }

    #[test]
    fn every_recipient_stands_in_one_place() {
        let failed = Outcome::Failed {
            reason: FailureReason::Refused,
            status: Some(400),
        };
        let settled = settle(
            0,
            &[
                (1, Some(Outcome::Sent)),
                (2, Some(Outcome::Expired { status: 410 })),
                (3, Some(failed)),
                (4, Some(retry(None))),
                (5, Some(Outcome::Sent)),
                (6, None),
            ],
        );
        let expected = Settlement {
            sent: 2,
            expired: vec![Expired {
                recipient: RecipientId(2),
                http_status: 410,
            }],
            dead_letters: vec![DeadLetter {
                recipient: RecipientId(3),
                reason: FailureReason::Refused,
                http_status: Some(400),
            }],
            retries: vec![job(0, 0, &[6]), job(1, 5, &[4])],
        };
        assert_eq!(settled, expected);
    }

    #[test]
    fn retry_after_counts_when_longer_and_up_to_an_hour() {
        let asked = [
            (1, None),
            (2, Some(1)),
            (3, Some(5)),
            (4, Some(90)),
            (5, Some(u64::MAX)),
        ];
        let settled = settle(0, &asked.map(|(id, after)| (id, Some(retry(after)))));
        assert_eq!(
            settled.retries,
            [job(1, 5, &[1, 2, 3]), job(1, 90, &[4]), job(1, 3_600, &[5])]
        );
        let third = settle(2, &[(1, Some(retry(Some(10))))]);
        assert_eq!(
            third.retries,
            [job(3, 7_200, &[1])],
            "the operator's own wait is not cut"
        );
    }

    #[test]
    fn the_fourth_failure_is_a_dead_letter() {
        let settled = settle(3, &[(1, Some(retry(Some(10))))]);
        assert!(settled.retries.is_empty());
        let expected = DeadLetter {
            recipient: RecipientId(1),
            reason: FailureReason::Throttled,
            http_status: Some(429),
        };
        assert_eq!(settled.dead_letters, [expected]);
    }

    #[test]
    fn a_retry_carries_the_ttl_that_is_left() {
        let left = |attempt, ttl, millis| {
            ttl_left(&page(attempt, ttl), UnixMillis(millis)).map(|left| left.as_secs())
        };
        assert_eq!(left(0, 60, 90_000), Some(60), "the first attempt as given");
        assert_eq!(left(1, 60, 10_500), Some(49));
        assert_eq!(left(1, 60, 59_999), Some(1));
        assert_eq!(left(1, 60, 60_000), None);
        assert_eq!(left(3, 0, 60_000), Some(0), "TTL 0 stays 0");
    }
}
