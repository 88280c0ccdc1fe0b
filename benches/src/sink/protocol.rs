//! What the benchmark and the sink tell each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Messages of a run that are kept whole.
pub const SAMPLES: u64 = 50;

/// A line to the sink.
#[derive(Deserialize, Serialize)]
pub enum SinkCommand {
    /// Answered with null.
    Begin(ResponsePlan),
    /// Answered with a [`SinkReport`].
    End,
}

/// How a run's requests are answered.
#[derive(Clone, Deserialize, Serialize)]
pub struct ResponsePlan {
    /// After so many answers the sink says so: the time, Unix seconds.
    pub expected: u64,
    /// The wait before each answer.
    pub latency_ms: u64,
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
            percent: [(410, 0), (429, 0), (500, 0)],
            timed_from: u64::MAX,
        }
    }
}

/// What a run has seen.
#[derive(Default, Deserialize, Serialize)]
pub struct SinkReport {
    pub requests: u64,
    /// Different recipients.
    pub distinct: u64,
    /// Answers by status.
    pub answers: BTreeMap<u16, u64>,
    pub samples: Vec<Sample>,
    /// Timed recipients, and when their requests arrived: Unix seconds.
    pub arrivals: Vec<(u64, f64)>,
    /// Requests to anything but endpoints.
    pub unmatched: u64,
}

/// A request as it arrived.
#[derive(Deserialize, Serialize)]
pub struct Sample {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    /// base64url.
    pub body: String,
}
