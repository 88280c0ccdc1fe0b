//! Counting a run's requests.

use std::time::{SystemTime, UNIX_EPOCH};

use super::plan::{Plan, Report, SAMPLES};

/// A run as it goes on.
pub struct Tally {
    plan: Plan,
    report: Report,
    answered: u64,
    /// A bit for each recipient.
    seen: Vec<u64>,
}

/// What becomes of a request.
pub struct Verdict {
    pub status: u16,
    /// Whether it is to be kept.
    pub keep: bool,
    /// Whether its answer counts.
    pub counts: bool,
}

impl Tally {
    pub fn new(plan: Plan) -> Self {
        let (report, seen) = (Report::default(), Vec::new());
        Self {
            plan,
            report,
            answered: 0,
            seen,
        }
    }

    /// Takes note of a request to this recipient.
    pub fn arrived(&mut self, recipient: Option<u64>) -> Verdict {
        let Some(recipient) = recipient else {
            self.report.unmatched += 1;
            return Verdict {
                status: 404,
                keep: false,
                counts: false,
            };
        };
        if recipient >= self.plan.watched_from {
            self.report.arrivals.push((recipient, now()));
            return Verdict {
                status: 201,
                keep: false,
                counts: false,
            };
        }
        let every = (self.plan.expected / SAMPLES).max(1);
        let number = self.report.requests;
        let keep = number.is_multiple_of(every) && number / every < SAMPLES;
        self.report.requests += 1;
        self.report.distinct += u64::from(self.is_first(recipient));
        let status = self.status(number);
        *self.report.answers.entry(status).or_default() += 1;
        Verdict {
            status,
            keep,
            counts: true,
        }
    }

    /// The wait before an answer.
    pub fn latency_ms(&self) -> u64 {
        self.plan.latency_ms
    }

    /// The report so far.
    pub fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    /// Takes note of an answer; whether all that were expected are given.
    pub fn answered(&mut self) -> bool {
        self.answered += 1;
        self.answered == self.plan.expected
    }

    fn is_first(&mut self, recipient: u64) -> bool {
        let (word, bit) = (recipient as usize / 64, 1 << (recipient % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        let first = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        first
    }

    /// Any hundred successive requests get each answer as often as planned, evenly mixed.
    fn status(&self, number: u64) -> u16 {
        let mut place = number * 37 % 100;
        for (status, percent) in self.plan.percent {
            if place < percent {
                return status;
            }
            place -= percent;
        }
        201
    }
}

/// Unix seconds.
#[expect(
    clippy::disallowed_methods,
    reason = "processes compare their clocks with it"
)]
pub fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
