//! What a push service's response means for a delivery (CONTRACT 7): pure, total functions, and the only place that judges a status.
//!
//! RFC 8030 §5 and §7.3 say what 201, 404, 410 and 429 mean; the rest is how push services behave. What is sure to fail again is
//! told apart from what may work later, because a dead letter with its reason is of use to the sender and a retry is not.

use std::time::Duration;

use bytes::Bytes;
use hato_domain::{FailureDetail, FailureReason, UnixMillis};
use hato_outbound::{date, retry_after};
use http::{HeaderMap, StatusCode};

use crate::push::failure_detail::failure_detail;
use crate::push::origin::{Origin, PushTarget};
use crate::push::vapid;

/// The longest wait that a push service may ask for with `Retry-After` (CONTRACT 7); a webhook's receiver has a day.
pub const MAX_PUSH_RETRY_AFTER: Duration = Duration::from_hours(1);

/// The part of a push service's response that is read.
#[derive(Clone, Debug)]
pub struct PushResponse {
    /// Any status; redirects are responses like others and not followed.
    pub status: StatusCode,
    /// At most 16 KiB of headers.
    pub headers: HeaderMap,
    /// The first 4 KiB of the body at most.
    pub body: Bytes,
}

/// What became of one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The push service took the message.
    Sent {
        /// 200, 201, 202 or 204.
        status: u16,
    },
    /// The subscription is gone: 404 or 410.
    Expired {
        /// The status that said so, 404 or 410.
        status: u16,
    },
    /// It may work later.
    Retry {
        /// Recorded when the retries are used up.
        reason: FailureReason,
        /// The status; None without a response.
        status: Option<u16>,
        /// What `Retry-After` asks for.
        after: Option<Duration>,
        /// What the push service or the connection said.
        detail: Option<FailureDetail>,
    },
    /// It was not tried, which is no attempt: the recipient is queued again until it is too late for its message. To be throttled is
    /// to get a 429, which is an attempt and a [`Self::Retry`].
    Deferred {
        /// The time after which it is worth trying.
        wait: Duration,
        /// Who held it back.
        cause: DeferralCause,
    },
    /// Trying again cannot help.
    Failed {
        /// Recorded with the dead letter.
        reason: FailureReason,
        /// The status; None when no request was made.
        status: Option<u16>,
        /// What the push service said.
        detail: Option<FailureDetail>,
    },
}

/// Who holds a recipient back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeferralCause {
    /// The push service throttles the app: the limiter is paused, or too many wait for it.
    PushService,
    /// This machine has no connection for it: it lacks something, or the app waits for its share (CONTRACT 7).
    ThisMachine,
}

impl PushOutcome {
    /// The address filter forbids the host.
    pub const BLOCKED: Self = Self::Failed {
        reason: FailureReason::BlockedAddress,
        status: None,
        detail: None,
    };
    /// No request can be made for this recipient: its endpoint or its key is of no use.
    pub const REFUSED: Self = Self::Failed {
        reason: FailureReason::Refused,
        status: None,
        detail: None,
    };
    /// The push service was not reached, or what it has seen is unknown; nobody said why.
    pub const UNREACHABLE: Self = Self::Retry {
        reason: FailureReason::Unreachable,
        status: None,
        after: None,
        detail: None,
    };

    /// What it is called in traces.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Sent { .. } => "sent",
            Self::Expired { .. } => "expired",
            Self::Retry { .. } => "retry",
            Self::Deferred { .. } => "deferred",
            Self::Failed { .. } => "failed",
        }
    }

    /// The push service was not reached, or what it has seen is unknown, for this cause.
    pub fn unreachable(cause: &str) -> Self {
        Self::Retry {
            reason: FailureReason::Unreachable,
            status: None,
            after: None,
            detail: FailureDetail::from_text(cause),
        }
    }
}

/// What a response means, for its recipient ([`classify`]) and for the limiter of its origin ([`Self::is_throttling`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// 200, 201, 202 or 204.
    Sent,
    /// A 2xx of Microsoft's that says the message was dropped all the same.
    Dropped,
    /// 404 or 410: the subscription is gone (RFC 8030 §7.3).
    Expired,
    /// 429: the push service asks for fewer requests (RFC 6585 §4). Microsoft's says so with 406.
    Throttled,
    /// 503: for the recipient like any other 5xx.
    Overloaded,
    /// A 5xx other than 503: the push service may answer otherwise later.
    Unavailable,
    /// 400, 401 or 403, which may say that the subscription was made with another key.
    MaybeKeyMismatch,
    /// Any other status, redirects included: the message is given up.
    Refused,
}

impl StatusClass {
    /// The class of a response from `origin` (CONTRACT 7).
    pub fn from_response(response: &PushResponse, origin: &Origin) -> Self {
        match response.status.as_u16() {
            406 if origin.is_windows() => Self::Throttled,
            200..=299 if origin.is_windows() && says_dropped(response) => Self::Dropped,
            _ => Self::from_status(response.status),
        }
    }

    fn from_status(status: StatusCode) -> Self {
        match status.as_u16() {
            200 | 201 | 202 | 204 => Self::Sent,
            404 | 410 => Self::Expired,
            429 => Self::Throttled,
            503 => Self::Overloaded,
            500..=599 => Self::Unavailable,
            400 | 401 | 403 => Self::MaybeKeyMismatch,
            _ => Self::Refused,
        }
    }

    /// Whether it asks for fewer pushes of the app. 503 does as well, for push services that are overloaded respond with it and a
    /// `Retry-After` (RFC 9110 §15.6.4).
    pub fn is_throttling(self) -> bool {
        matches!(self, Self::Throttled | Self::Overloaded)
    }
}

/// Judges the response to a push to `target`, received at `now`.
pub fn classify(response: &PushResponse, target: &PushTarget, now: UnixMillis) -> PushOutcome {
    let status = response.status.as_u16();
    let reason = match StatusClass::from_response(response, &target.origin) {
        StatusClass::Sent => return PushOutcome::Sent { status },
        StatusClass::Expired => return PushOutcome::Expired { status },
        StatusClass::Throttled => FailureReason::Throttled,
        StatusClass::Overloaded | StatusClass::Unavailable => FailureReason::Unavailable,
        StatusClass::Dropped => FailureReason::Dropped,
        StatusClass::MaybeKeyMismatch if names_key_mismatch(response) => FailureReason::KeyMismatch,
        StatusClass::MaybeKeyMismatch | StatusClass::Refused => FailureReason::Refused,
    };
    let detail = failure_detail(&response.headers, &response.body, target);
    let status = Some(status);
    if matches!(
        reason,
        FailureReason::Throttled | FailureReason::Unavailable
    ) {
        let after = retry_after(&response.headers, now);
        PushOutcome::Retry {
            reason,
            status,
            after,
            detail,
        }
    } else {
        PushOutcome::Failed {
            reason,
            status,
            detail,
        }
    }
}

/// The time of a push service (`Date`) that answers 401 or 403 at `now`, if our tokens are out of time by it (RFC 8292 §2).
pub fn refused_time(response: &PushResponse, now: UnixMillis) -> Option<UnixMillis> {
    let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
    let is_refused = refused.contains(&response.status);
    let theirs = is_refused.then(|| date(&response.headers)).flatten();
    theirs.filter(|theirs| vapid::may_be_out_of_time(*theirs, now))
}

/// Whether Microsoft's service says that it took the message and dropped it.
fn says_dropped(response: &PushResponse) -> bool {
    let status = response.headers.get("x-wns-notificationstatus");
    status.is_some_and(|status| status.as_bytes().eq_ignore_ascii_case(b"dropped"))
}

/// How push services say that a subscription was made with another VAPID key: Apple's reason, and the sentences of
/// Mozilla's and Google's services.
const KEY_MISMATCH: [&str; 3] = [
    "vapidpkhashmismatch",
    "vapid public key mismatch",
    "do not correspond to the credentials used to create the subscription",
];

/// The reason stands in the body, or with Microsoft in a header.
fn names_key_mismatch(response: &PushResponse) -> bool {
    let header = response.headers.get("x-wns-error-description");
    let texts = [
        Some(response.body.as_ref()),
        header.map(http::HeaderValue::as_bytes),
    ];
    texts.into_iter().flatten().any(|text| {
        let text = String::from_utf8_lossy(text).to_ascii_lowercase();
        KEY_MISMATCH.iter().any(|phrase| text.contains(phrase))
    })
}

#[cfg(test)]
mod tests;
