//! What a send said, for who writes it again.

use hato_domain::{AppId, PushOptions, SendId, Topic, Ttl, Urgency};
use hato_service::ports::SentContent;

use crate::Database;
use crate::dialect::{from_stored, readers};
use crate::error::decode_error;
use crate::stored_audience::StoredAudience;

/// The content of the app's send, if there is one.
pub(crate) async fn find_content(
    database: &Database,
    app: &AppId,
    send: &SendId,
) -> sqlx::Result<Option<SentContent>> {
    sqlx::query_as!(
        ContentRow,
        "SELECT title, body, url, payload, ttl, urgency, topic, audience FROM sends
         WHERE id = $1 AND app_id = $2",
        send.as_str(),
        app.as_str()
    )
    .try_map(ContentRow::into_content)
    .fetch_optional(readers(database))
    .await
}

struct ContentRow {
    title: String,
    body: String,
    url: Option<String>,
    payload: String,
    ttl: i64,
    urgency: Option<String>,
    topic: Option<String>,
    audience: Option<String>,
}

impl ContentRow {
    fn into_content(self) -> sqlx::Result<SentContent> {
        let urgency = |text: String| Urgency::parse(&text).map_err(|_| decode_error("urgency"));
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
            conditions: StoredAudience::conditions(self.audience.as_deref()),
        })
    }
}
