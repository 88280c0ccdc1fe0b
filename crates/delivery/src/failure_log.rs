//! What the log says of something that fails again and again.
//!
//! A database that is away for an hour fails thousands of claims, and each page that waits to be settled. Who reads the log then wants the
//! causes, once each, and to know when it was over.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

/// How many causes of one outage are told apart: a database that stops, is away and starts again has three or four.
const MAX_CAUSES: usize = 8;

/// Logs the failures of one kind of attempt: a line for each cause, and one when it succeeds again.
pub struct FailureLog {
    failure: &'static str,
    recovery: &'static str,
    /// Why it has failed since it last succeeded.
    causes: Mutex<Vec<String>>,
}

impl FailureLog {
    /// None so far. The log says `failure` with the cause, and `recovery`.
    pub const fn new(failure: &'static str, recovery: &'static str) -> Self {
        Self {
            failure,
            recovery,
            causes: Mutex::new(Vec::new()),
        }
    }

    /// Takes note of what came of an attempt, and passes it on.
    pub fn record<T, E: Display>(&self, outcome: Result<T, E>) -> Result<T, E> {
        match &outcome {
            Ok(_) => self.succeeded(),
            Err(error) => self.failed(error),
        }
        outcome
    }

    /// Takes note of a failure.
    pub fn failed(&self, error: impl Display) {
        let cause = error.to_string();
        let mut causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
        if causes.len() < MAX_CAUSES && !causes.contains(&cause) {
            tracing::error!(error = cause, "{}", self.failure);
            causes.push(cause);
        }
    }

    /// Takes note of a success.
    pub fn succeeded(&self) {
        let mut causes = self.causes.lock().unwrap_or_else(PoisonError::into_inner);
        if !causes.is_empty() {
            causes.clear();
            tracing::info!("{}", self.recovery);
        }
    }
}
