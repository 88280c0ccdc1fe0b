//! Deliveries counted by outcome, for whoever records metrics; nobody does unless a recorder is installed.

use hato_service::ports::Settlement;
use metrics::{counter, describe_counter};

const DELIVERIES: &str = "hato_deliveries_total";

/// Tells the recorder what is counted, and that nothing was yet.
pub fn describe() {
    describe_counter!(
        DELIVERIES,
        "Deliveries by outcome: sent, expired, failed, retried"
    );
    count_each([0; 4]);
}

/// Counts what became of a page whose attempt this was; what an interruption left unknown was no delivery.
pub(crate) fn count(settlement: &Settlement, attempt: u8) {
    let later = settlement
        .retries
        .iter()
        .filter(|job| job.attempt > attempt);
    let retried = later.map(|job| job.recipients.len()).sum();
    count_each([
        usize::try_from(settlement.sent).unwrap_or_default(),
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
