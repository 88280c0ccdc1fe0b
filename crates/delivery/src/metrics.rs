//! Counts deliveries and attempts to post events by outcome. Without a recorder of the `metrics` crate nothing is counted.

use hato_service::ports::Settlement;
use metrics::{counter, describe_counter};

const DELIVERIES: &str = "hato_deliveries_total";
const ATTEMPTS: &str = "hato_webhook_attempts_total";
const DROPPED_EVENTS: &str = "hato_webhook_dropped_events_total";
const UNREADABLE_JOBS: &str = "hato_unreadable_jobs_total";

/// What became of an attempt to post an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttemptResult {
    /// The receiver answered with a 2xx status.
    Arrived,
    /// It will be posted again.
    Retried,
    /// It was given up.
    Failed,
}

impl AttemptResult {
    const ALL: [Self; 3] = [Self::Arrived, Self::Retried, Self::Failed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Arrived => "arrived",
            Self::Retried => "retried",
            Self::Failed => "failed",
        }
    }
}

/// Describes the counters to the recorder and starts each at zero, so that they are exported before anything happens.
pub fn describe() {
    describe_counter!(
        DELIVERIES,
        "Deliveries by outcome: sent, expired, failed, retried"
    );
    count_each([0; 4]);
    describe_counter!(
        ATTEMPTS,
        "Attempts to post events to webhooks by outcome: arrived, retried, failed"
    );
    for outcome in AttemptResult::ALL {
        count_attempts(outcome, 0);
    }
    describe_counter!(
        DROPPED_EVENTS,
        "Webhooks' events that were dropped because they were older than five days"
    );
    count_dropped_events(0);
    describe_counter!(
        UNREADABLE_JOBS,
        "Claims of a job that could not be read and was put off for an hour"
    );
    counter!(UNREADABLE_JOBS).increment(0);
}

/// Counts a claim of a job that could not be read.
pub(crate) fn count_unreadable_job() {
    counter!(UNREADABLE_JOBS).increment(1);
}

/// Counts events that were dropped because they were too old.
pub(crate) fn count_dropped_events(number: u64) {
    counter!(DROPPED_EVENTS).increment(number);
}

/// Counts an attempt to post an event.
pub(crate) fn count_attempt(outcome: AttemptResult) {
    count_attempts(outcome, 1);
}

fn count_attempts(outcome: AttemptResult, number: u64) {
    counter!(ATTEMPTS, "outcome" => outcome.as_str()).increment(number);
}

/// Counts what became of the recipients of a page in its `attempt`. Those queued again in the same attempt, deferred or unknown after an
/// interruption, are no deliveries.
pub(crate) fn count_deliveries(settlement: &Settlement, attempt: u8) {
    let later = settlement
        .retries
        .iter()
        .filter(|job| job.attempt > attempt);
    let retried = later.map(|job| job.recipients.len()).sum();
    count_each([
        settlement.sent.len(),
        settlement.expired.len(),
        settlement.dead_letters.len(),
        retried,
    ]);
}

fn count_each(numbers: [usize; 4]) {
    for (outcome, number) in ["sent", "expired", "failed", "retried"]
        .into_iter()
        .zip(numbers)
    {
        counter!(DELIVERIES, "outcome" => outcome).increment(number as u64);
    }
}
