//! What a send said, for who writes it again.

use hato_domain::{Pace, PushOptions, Topic, Ttl, Urgency};
use hato_service::ports::SentContent;

use crate::dialect::from_stored;
use crate::error::decode_error;
use crate::stored_audience::StoredAudience;

/// The row of a send as far as its content is concerned.
pub(crate) struct ContentRow {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) url: Option<String>,
    pub(crate) payload: String,
    pub(crate) ttl: i64,
    pub(crate) urgency: Option<String>,
    pub(crate) topic: Option<String>,
    pub(crate) audience: Option<String>,
    pub(crate) max_per_minute: Option<i64>,
}

impl ContentRow {
    pub(crate) fn into_content(self) -> sqlx::Result<SentContent> {
        let urgency = |text: String| Urgency::parse(&text).map_err(|_| decode_error("urgency"));
        let pace = |number| Pace::parse(number).map_err(|_| decode_error("pace"));
        let topic = |text: String| Topic::parse(&text).map_err(|_| decode_error("topic"));
        Ok(SentContent {
            title: from_stored(self.title),
            body: from_stored(self.body),
            url: self.url,
            payload: self.payload,
            options: PushOptions {
                ttl: Ttl::parse(self.ttl).map_err(|_| decode_error("TTL"))?,
                urgency: self.urgency.map(urgency).transpose()?,
                topic: self.topic.map(topic).transpose()?,
            },
            pace: self.max_per_minute.map(pace).transpose()?,
            conditions: StoredAudience::conditions(self.audience.as_deref()),
        })
    }
}
