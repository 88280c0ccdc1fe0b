//! What a push service's response means for a delivery (CONTRACT 7): pure, total functions, and the only place that judges a status.
//!
//! RFC 8030 §5 and §7.3 say what 201, 404, 410 and 429 mean; the rest is how push services behave. What is sure to fail again is
//! told apart from what may work later, because a dead letter with its reason is of use to the sender and a retry is not.

use std::time::Duration;

use bytes::Bytes;
use hato_domain::{FailureReason, UnixMillis};
use hato_outbound::retry_after;
use http::{HeaderMap, StatusCode};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    },
    /// It was not tried, because the push service throttles the app: the limiter is paused, or too many wait for it. That is no
    /// attempt, and the recipient is queued again until it is too late for its message. To be throttled is to get a 429, which is an
    /// attempt and a [`Self::Retry`].
    Deferred {
        /// The time after which it is worth trying.
        wait: Duration,
    },
    /// Trying again cannot help.
    Failed {
        /// Recorded with the dead letter.
        reason: FailureReason,
        /// The status; None without a response.
        status: Option<u16>,
    },
}

impl PushOutcome {
    /// The push service was not reached, or what it has seen is unknown.
    pub const UNREACHABLE: Self = Self::Retry {
        reason: FailureReason::Unreachable,
        status: None,
        after: None,
    };
    /// The address filter forbids every address of the host.
    pub const BLOCKED: Self = Self::Failed {
        reason: FailureReason::BlockedAddress,
        status: None,
    };
    /// No request can be made for this recipient: its endpoint or its key is of no use.
    pub const REFUSED: Self = Self::Failed {
        reason: FailureReason::Refused,
        status: None,
    };
}

/// What a status means, for its recipient ([`classify`]) and for the limiter of its origin ([`Self::is_throttling`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// 200, 201, 202 or 204.
    Sent,
    /// 404 or 410: the subscription is gone (RFC 8030 §7.3).
    Expired,
    /// 429: the push service asks for fewer requests (RFC 6585 §4).
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
    /// The class of a status.
    pub fn from_status(status: StatusCode) -> Self {
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

/// Judges a response that was received at `now`.
pub fn classify(response: &PushResponse, now: UnixMillis) -> PushOutcome {
    let status = response.status.as_u16();
    match StatusClass::from_status(response.status) {
        StatusClass::Sent => PushOutcome::Sent { status },
        StatusClass::Expired => PushOutcome::Expired { status },
        StatusClass::Throttled => retry(FailureReason::Throttled, response, now),
        StatusClass::Overloaded | StatusClass::Unavailable => {
            retry(FailureReason::Unavailable, response, now)
        }
        StatusClass::MaybeKeyMismatch if names_key_mismatch(response) => {
            failed(FailureReason::KeyMismatch, status)
        }
        StatusClass::MaybeKeyMismatch | StatusClass::Refused => {
            failed(FailureReason::Refused, status)
        }
    }
}

fn failed(reason: FailureReason, status: u16) -> PushOutcome {
    PushOutcome::Failed {
        reason,
        status: Some(status),
    }
}

fn retry(reason: FailureReason, response: &PushResponse, now: UnixMillis) -> PushOutcome {
    let status = Some(response.status.as_u16());
    PushOutcome::Retry {
        reason,
        status,
        after: retry_after(&response.headers, now),
    }
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
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use hato_domain::{FailureReason, UnixMillis};
    use http::{HeaderMap, HeaderValue, StatusCode};

    use super::{PushOutcome, PushResponse, StatusClass, classify};

    /// 2026-01-01T00:00:00Z, when the responses arrive.
    const NOW: UnixMillis = UnixMillis(1_767_225_600_000);

    fn response(status: u16) -> PushResponse {
        PushResponse {
            status: StatusCode::from_u16(status).expect("a status"),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    #[test]
    fn every_status_has_its_outcome() {
        for status in 100..=599 {
            let expected = match status {
                200 | 201 | 202 | 204 => PushOutcome::Sent { status },
                404 | 410 => PushOutcome::Expired { status },
                429 => PushOutcome::Retry {
                    reason: FailureReason::Throttled,
                    status: Some(429),
                    after: None,
                },
                500.. => PushOutcome::Retry {
                    reason: FailureReason::Unavailable,
                    status: Some(status),
                    after: None,
                },
                _ => PushOutcome::Failed {
                    reason: FailureReason::Refused,
                    status: Some(status),
                },
            };
            assert_eq!(classify(&response(status), NOW), expected, "{status}");
        }
    }

    #[test]
    fn who_asks_for_less_is_overloaded_or_throttles() {
        let throttling = (100..=599).filter(|status| {
            let status = StatusCode::from_u16(*status).expect("a status");
            StatusClass::from_status(status).is_throttling()
        });
        assert_eq!(throttling.collect::<Vec<_>>(), [429, 503]);
    }

    #[test]
    fn a_throttled_push_waits_as_long_as_it_is_asked_to() {
        let mut response = response(429);
        let wait = HeaderValue::from_static("120");
        response.headers.insert("retry-after", wait);
        let outcome = PushOutcome::Retry {
            reason: FailureReason::Throttled,
            status: Some(429),
            after: Some(Duration::from_mins(2)),
        };
        assert_eq!(classify(&response, NOW), outcome);
    }

    #[test]
    fn another_vapid_key_is_told_apart_from_other_refusals() {
        let mismatch = |status| PushOutcome::Failed {
            reason: FailureReason::KeyMismatch,
            status: Some(status),
        };
        for (status, body) in [
            (400, r#"{"reason":"VapidPkHashMismatch"}"#),
            (403, r#"{"reason":"VapidPkHashMismatch"}"#),
            (
                401,
                r#"{"errno":109,"message":"VAPID public key mismatch"}"#,
            ),
        ] {
            let response = PushResponse {
                body: Bytes::from_static(body.as_bytes()),
                ..response(status)
            };
            assert_eq!(classify(&response, NOW), mismatch(status), "{body}");
        }
        let mut windows = response(403);
        let text = HeaderValue::from_static("VapidPkHashMismatch");
        windows.headers.insert("x-wns-error-description", text);
        assert_eq!(classify(&windows, NOW), mismatch(403));
    }

    #[test]
    fn a_gone_subscription_is_gone_whatever_the_body_says() {
        let response = PushResponse {
            body: Bytes::from_static(b"VapidPkHashMismatch"),
            ..response(410)
        };
        assert_eq!(
            classify(&response, NOW),
            PushOutcome::Expired { status: 410 }
        );
    }
}
