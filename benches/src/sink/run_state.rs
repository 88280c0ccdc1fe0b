//! Counting a run's requests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use super::protocol::{ResponsePlan, SAMPLES, SinkReport};

/// The state of a run: its plan, and what was seen so far.
pub struct RunState {
    plan: ResponsePlan,
    report: SinkReport,
    answered: u64,
    /// A bit for each recipient that was sent to.
    seen: Vec<u64>,
    /// When the last of the requests so far has its turn.
    busy_until: Option<Instant>,
}

/// The answer to a request, and what is to be done with the request.
pub struct PlannedResponse {
    pub status: u16,
    /// When it is given at the earliest.
    pub turn: Option<Instant>,
    /// Whether the request is to be kept as a sample.
    pub is_sampled: bool,
    /// Whether the answer counts toward the plan's.
    pub is_counted: bool,
}

impl RunState {
    pub fn new(plan: ResponsePlan) -> Self {
        let (report, seen) = (SinkReport::default(), Vec::new());
        Self {
            plan,
            report,
            answered: 0,
            seen,
            busy_until: None,
        }
    }

    /// Records a request to this recipient, `None` for a path that is no endpoint, and chooses its answer.
    pub fn record_request(&mut self, recipient: Option<u64>) -> PlannedResponse {
        let Some(recipient) = recipient else {
            self.report.unmatched += 1;
            return PlannedResponse {
                status: 404,
                turn: None,
                is_sampled: false,
                is_counted: false,
            };
        };
        if recipient >= self.plan.timed_from {
            self.report.arrivals.push((recipient, now()));
            return PlannedResponse {
                status: 201,
                turn: None,
                is_sampled: false,
                is_counted: false,
            };
        }
        let every = (self.plan.expected / SAMPLES).max(1);
        let number = self.report.requests;
        let is_sampled = number.is_multiple_of(every) && number / every < SAMPLES;
        self.report.requests += 1;
        self.report.distinct += u64::from(self.mark_seen(recipient));
        let status = self.status(number);
        *self.report.answers.entry(status).or_default() += 1;
        PlannedResponse {
            status,
            turn: self.next_turn(number),
            is_sampled,
            is_counted: true,
        }
    }

    /// How long to wait before an answer, milliseconds.
    pub fn latency_ms(&self) -> u64 {
        self.plan.latency_ms
    }

    /// The report so far.
    pub fn report(&mut self) -> &mut SinkReport {
        &mut self.report
    }

    /// Records an answer; whether all that were expected are given.
    pub fn record_answer(&mut self) -> bool {
        self.answered += 1;
        self.answered == self.plan.expected
    }

    fn mark_seen(&mut self, recipient: u64) -> bool {
        let (word, bit) = (recipient as usize / 64, 1 << (recipient % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        let first = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        first
    }

    /// The turn of the request of this number, which takes its time whether or not somebody waits for the answer.
    fn next_turn(&mut self, number: u64) -> Option<Instant> {
        let mut paces = self.plan.paces.iter();
        let pace = paces.rfind(|pace| pace.from_request <= number)?;
        let now = Instant::now();
        let begins = self.busy_until.map_or(now, |until| until.max(now));
        self.busy_until = Some(begins + Duration::from_secs(1) / pace.per_second);
        self.busy_until
    }

    /// Any hundred successive requests get each answer as often as planned, evenly mixed.
    fn status(&self, number: u64) -> u16 {
        let mut percentile = number * 37 % 100;
        for (status, percent) in self.plan.percent {
            if percentile < percent {
                return status;
            }
            percentile -= percent;
        }
        201
    }
}

/// The time of the machine's clock, Unix seconds.
#[expect(
    clippy::disallowed_methods,
    reason = "processes compare their clocks with it"
)]
pub fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
