//! Refusals as Mozilla's push service writes them.

use http::StatusCode;
use serde_json::json;

/// Why a request is refused: status, Mozilla's errno and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AutopushError {
    pub(super) status: StatusCode,
    pub(super) errno: u16,
    pub(super) message: String,
}

impl AutopushError {
    fn new(status: StatusCode, errno: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            errno,
            message: message.into(),
        }
    }

    /// VAPID is missing or wrong (RFC 8292 §4.2).
    pub(super) fn vapid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, 109, message)
    }

    /// The body is not encoded as the headers say, or not as RFC 8291 wants.
    pub(super) fn encoding(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, 110, message)
    }

    /// The header TTL is missing (RFC 8030 §5.2).
    pub(super) fn missing_ttl() -> Self {
        Self::new(StatusCode::BAD_REQUEST, 111, "Missing TTL value")
    }

    /// A TTL that is no number of seconds.
    pub(super) fn invalid_ttl() -> Self {
        Self::new(StatusCode::BAD_REQUEST, 112, "Invalid TTL value")
    }

    /// A topic that is not 1 to 32 base64url characters (RFC 8030 §5.4).
    pub(super) fn topic() -> Self {
        Self::new(StatusCode::BAD_REQUEST, 113, "Invalid Topic header")
    }

    /// A body of more than 4,096 bytes (RFC 8030 §7.2).
    pub(super) fn too_large() -> Self {
        Self::scripted(StatusCode::PAYLOAD_TOO_LARGE)
    }

    /// What the service says with a status that a script asked for.
    pub(super) fn scripted(status: StatusCode) -> Self {
        let (errno, message) = match status.as_u16() {
            401 | 403 => (109, "Invalid authentication"),
            410 => (106, "No such subscription"),
            413 => (104, "This message is intended for a constrained device"),
            429 => (120, "Too many requests"),
            503 => (202, "Service unavailable, try again later"),
            _ => (999, "Unexpected error"),
        };
        Self::new(status, errno, message)
    }

    /// The JSON body; empty for 404 and 405, as Mozilla's.
    pub(super) fn body(&self) -> String {
        if matches!(self.status.as_u16(), 404 | 405) {
            return String::new();
        }
        json!({
            "code": self.status.as_u16(),
            "errno": self.errno,
            "error": self.status.canonical_reason().unwrap_or("Unknown"),
            "message": self.message,
        })
        .to_string()
    }
}
