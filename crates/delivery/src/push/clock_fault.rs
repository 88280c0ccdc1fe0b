//! Tells a push that is refused for what this machine's clock shows from one that is refused for itself.
//!
//! A VAPID token says until when it is good. Signed by a clock that is half a day off, it is of the past for a push service, or good for
//! longer than push services allow, and none of them takes anything. That is no recipient's failure: it is over when the clock is
//! set right.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hato_domain::UnixMillis;
use hato_outbound::date;
use http::StatusCode;
use tokio::time::Instant;

use super::response::PushResponse;
use super::vapid;

/// How often the log says it at most.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Notices that push services have another time.
#[derive(Default)]
pub struct ClockFault {
    logged_at: Mutex<Option<Instant>>,
}

impl ClockFault {
    /// Whether the response, received at `now`, which names no other cause, refuses a token that is out of time by the push service's own
    /// clock (`Date`); then the log says so, once a minute.
    pub fn is_cause(&self, response: &PushResponse, now: UnixMillis) -> bool {
        let is_refused = matches!(
            response.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        );
        let shown = is_refused.then(|| date(&response.headers)).flatten();
        let Some(theirs) = shown.filter(|theirs| vapid::may_be_out_of_time(*theirs, now)) else {
            return false;
        };
        self.log(theirs, now);
        true
    }

    fn log(&self, theirs: UnixMillis, now: UnixMillis) {
        let mut logged_at = self
            .logged_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if logged_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            *logged_at = Some(Instant::now());
            let (ahead, behind) = (now.since(theirs), theirs.since(now));
            tracing::error!(
                ?ahead,
                ?behind,
                "a push service refuses what is signed by this machine's clock: deliveries wait until it is right"
            );
        }
    }
}
