//! Counts deliveries and attempts to post events by outcome, and how long they take. Without a recorder of the `metrics` crate nothing
//! is counted. What is as it is at a moment is read when somebody asks ([`crate::EngineSnapshot`]).

mod host_deliveries;

use std::sync::LazyLock;
use std::time::Duration;

use metrics::{Histogram, counter, describe_counter, describe_histogram, histogram};

pub use host_deliveries::MAX_NAMED;
pub(crate) use host_deliveries::{HostDeliveries, OTHERS, PageTally};

/// Counts of deliveries, in the order of [`OUTCOMES`].
pub type OutcomeCounts = [u64; 4];
/// What becomes of a delivery.
pub const OUTCOMES: [&str; 4] = ["sent", "expired", "failed", "retried"];
const SENT: usize = 0;
const EXPIRED: usize = 1;
const FAILED: usize = 2;
const RETRIED: usize = 3;

/// How long messages take from the acceptance of their send, or the time for which it was scheduled, until it is recorded that a push
/// service took them; its bounds reach further than those of other durations.
pub const DELIVERY_DELAY: &str = "hato_delivery_delay_seconds";
const PUSH_DURATION: &str = "hato_push_duration_seconds";
const CONNECTIONS: &str = "hato_push_connections_opened_total";
const LOST_LEASES: &str = "hato_lost_leases_total";
const DELIVERIES: &str = "hato_deliveries_total";
const ATTEMPT_DURATION: &str = "hato_webhook_attempt_duration_seconds";
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
    describe_deliveries();
    describe_connections();
    describe_lost_leases();
    describe_attempts();
    describe_dropped_events();
    describe_unreadable_jobs();
}

fn describe_attempts() {
    describe_counter!(
        ATTEMPTS,
        "Attempts to post events to webhooks by outcome: arrived, retried, failed"
    );
    for outcome in AttemptResult::ALL {
        count_attempts(outcome, 0);
    }
    describe_histogram!(
        ATTEMPT_DURATION,
        "Time that attempts to post events to webhooks take"
    );
    let _ = histogram!(ATTEMPT_DURATION);
}

fn describe_dropped_events() {
    describe_counter!(
        DROPPED_EVENTS,
        "Webhooks' events that were dropped because they were older than five days"
    );
    count_dropped_events(0);
}

fn describe_unreadable_jobs() {
    describe_counter!(
        UNREADABLE_JOBS,
        "Claims of a job that could not be read and was put off for an hour"
    );
    counter!(UNREADABLE_JOBS).increment(0);
}

fn describe_deliveries() {
    describe_counter!(
        DELIVERIES,
        "Deliveries by outcome: sent, expired, failed, retried"
    );
    count_each([0; 4]);
    describe_histogram!(
        DELIVERY_DELAY,
        "Time from a send's acceptance, or its scheduled time, until a message was taken"
    );
    describe_histogram!(PUSH_DURATION, "Time that push services take to answer");
    let _ = (histogram!(DELIVERY_DELAY), histogram!(PUSH_DURATION));
}

fn describe_connections() {
    describe_counter!(
        CONNECTIONS,
        "Connections to push services that were opened, or failed to open, by result"
    );
    count_connections(true, 0);
    count_connections(false, 0);
}

fn describe_lost_leases() {
    describe_counter!(
        LOST_LEASES,
        "Pages that were delivered and not recorded, because their lease was lost"
    );
    counter!(LOST_LEASES).increment(0);
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

/// Takes note of how long an attempt to post an event took.
pub(crate) fn record_attempt(took: Duration) {
    histogram!(ATTEMPT_DURATION).record(took);
}

/// Counts what became of the recipients of a page.
pub(crate) fn count_deliveries(tally: &PageTally) {
    count_each(tally.total());
}

/// Takes note of how long so many messages took from acceptance on.
pub(crate) fn record_delay(delay: Duration, messages: usize) {
    histogram!(DELIVERY_DELAY).record_many(delay, messages);
}

/// Takes note of how long a push service took to answer. The histogram is looked up once, for this happens with each push.
pub(crate) fn record_push(took: Duration) {
    static DURATIONS: LazyLock<Histogram> = LazyLock::new(|| histogram!(PUSH_DURATION));
    DURATIONS.record(took);
}

/// Counts a connection that was opened, or failed to open.
pub(crate) fn count_connection(is_open: bool) {
    count_connections(is_open, 1);
}

/// Counts a page that was delivered and not recorded.
pub(crate) fn count_lost_lease() {
    counter!(LOST_LEASES).increment(1);
}

fn count_connections(are_open: bool, number: u64) {
    let result = if are_open { "opened" } else { "failed" };
    counter!(CONNECTIONS, "result" => result).increment(number);
}

fn count_each(numbers: OutcomeCounts) {
    for (outcome, number) in OUTCOMES.into_iter().zip(numbers) {
        counter!(DELIVERIES, "outcome" => outcome).increment(number);
    }
}
