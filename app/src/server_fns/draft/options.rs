//! How push services are to treat a notification, as the form asks it (RFC 8030 §5).

use hato_domain::ErrorCode;
use hato_domain::wire::Notify;
use serde::Deserialize;

use super::timing::read;

/// The fields as they were typed; an empty one is not given.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct OptionsDraft {
    /// Seconds for which a message is kept for a browser that is not there.
    pub ttl: String,
    pub urgency: String,
    pub topic: String,
}

impl OptionsDraft {
    /// A request that has these members alone; `INVALID_INPUT` for a TTL that is no number.
    pub(super) fn notify(&self) -> Result<Notify, ErrorCode> {
        let non_empty = |field: &str| (!field.is_empty()).then(|| field.trim().to_owned());
        Ok(Notify {
            ttl: read(&self.ttl, |text| text.parse().ok())?,
            urgency: non_empty(&self.urgency),
            topic: non_empty(&self.topic),
            ..Notify::default()
        })
    }
}
