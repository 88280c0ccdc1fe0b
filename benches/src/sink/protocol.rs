//! What the benchmark and the sink tell each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Messages of a run that are kept whole.
pub const SAMPLES: u64 = 50;

/// A command to the sink, one line of JSON on its standard input.
#[derive(Deserialize, Serialize)]
pub enum SinkCommand {
    /// Starts a run, and is answered with `null`.
    Begin(ResponsePlan),
    /// Ends the run, and is answered with a [`SinkReport`].
    End,
}

/// How a run's requests are answered.
#[derive(Clone, Deserialize, Serialize)]
pub struct ResponsePlan {
    /// After so many answers the sink says so: the time, Unix seconds.
    pub expected: u64,
    /// How long the sink waits before each answer, milliseconds.
    pub latency_ms: u64,
    /// How many requests the sink answers a second; all at once without any.
    pub paces: Vec<AnswerRate>,
    /// Of 100 answers: so many are 410, 429 and 500, and the others 201.
    pub percent: [(u16, u64); 3],
    /// From this recipient on requests do not count; their times of arrival are kept instead.
    pub timed_from: u64,
}

impl ResponsePlan {
    /// So many requests, all answered with 201 at once.
    pub fn all_created(expected: u64) -> Self {
        Self {
            expected,
            latency_ms: 0,
            paces: Vec::new(),
            percent: [(410, 0), (429, 0), (500, 0)],
            timed_from: u64::MAX,
        }
    }
}

/// From a request on, so many are answered a second: one after the other in the order in which they come, those that the sender
/// has given up by then as well.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub struct AnswerRate {
    pub from_request: u64,
    pub per_second: u32,
}

impl AnswerRate {
    pub const fn new(from_request: u64, per_second: u32) -> Self {
        Self {
            from_request,
            per_second,
        }
    }
}

/// What the sink has seen in a run.
#[derive(Default, Deserialize, Serialize)]
pub struct SinkReport {
    pub requests: u64,
    /// How many different recipients were sent to.
    pub distinct: u64,
    /// How many answers were given of each status.
    pub answers: BTreeMap<u16, u64>,
    pub samples: Vec<SampledRequest>,
    /// Timed recipients, and when their requests arrived: Unix seconds.
    pub arrivals: Vec<(u64, f64)>,
    /// How many requests were for anything but an endpoint.
    pub unmatched: u64,
}

/// A request as it arrived, kept to be decrypted and verified after the run.
#[derive(Deserialize, Serialize)]
pub struct SampledRequest {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    /// The body as base64url.
    pub body: String,
}
