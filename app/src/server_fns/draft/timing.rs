//! When a notification goes, until when, and how fast, as the form asks it.

use hato_domain::{ErrorCode, UnixMillis};
use serde::Deserialize;

/// The fields as they were typed; an empty one is not given. Times are in UTC, whatever the visitor's own are: the island beside them
/// reckons.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct TimingDraft {
    /// When it goes: `2026-01-31T09:05`.
    pub send_at: String,
    /// From when on it is worth nothing.
    pub expires_at: String,
    /// How many recipients are tried in any 60 s at most.
    pub max_per_minute: String,
}

impl TimingDraft {
    pub(super) fn send_at(&self) -> Result<Option<i64>, ErrorCode> {
        moment(&self.send_at)
    }

    pub(super) fn expires_at(&self) -> Result<Option<i64>, ErrorCode> {
        moment(&self.expires_at)
    }

    pub(super) fn max_per_minute(&self) -> Result<Option<i64>, ErrorCode> {
        read(&self.max_per_minute, |text| text.parse().ok())
    }
}

/// A date and a time in UTC, Unix milliseconds.
pub(super) fn moment(field: &str) -> Result<Option<i64>, ErrorCode> {
    let moment = |text: &str| UnixMillis::from_date_and_time(text).map(|at| at.0);
    read(field, moment)
}

/// What a field says; `INVALID_INPUT` for anything that it cannot, blanks alone included.
pub(super) fn read<T>(
    field: &str,
    value: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ErrorCode> {
    if field.is_empty() {
        return Ok(None);
    }
    let value = value(field.trim());
    value.map(Some).ok_or(ErrorCode::InvalidInput)
}
