//! The active subscriptions of an app, for another service (CONTRACT 16).

use hato_domain::{AppId, BrowserKeys, SubscriptionId, UnixMillis};
use hato_service::ports::{ExportCursor, ExportRecord, VapidKeyNumber};

use crate::Database;
use crate::dialect::readers;
use crate::error::decode_error;
use crate::values::parse_tags;

/// The page after the cursor. Who has no position is not active; the sign before it keeps the database from going through the index
/// of positions, whose order is another.
pub(crate) async fn export_page(
    database: &Database,
    app: &AppId,
    after: Option<ExportCursor>,
    limit: u32,
) -> sqlx::Result<Vec<ExportRecord>> {
    let (created_at, id) = match &after {
        Some(after) => (after.created_at.0, after.id.as_str()),
        None => (i64::MIN, ""),
    };
    sqlx::query_as!(
        ExportRow,
        "SELECT public_id, endpoint, p256dh, auth, vapid_key, user_id, tags, lang, time_zone,
                platform, created_at
         FROM subscriptions
         WHERE app_id = $1 AND +position IS NOT NULL AND (created_at, public_id) > ($2, $3)
         ORDER BY created_at, public_id LIMIT $4",
        app.as_str(),
        created_at,
        id,
        i64::from(limit)
    )
    .try_map(ExportRow::into_record)
    .fetch_all(readers(database))
    .await
}

struct ExportRow {
    public_id: String,
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
    vapid_key: i64,
    user_id: Option<String>,
    tags: Option<String>,
    lang: Option<String>,
    time_zone: Option<String>,
    platform: Option<String>,
    created_at: i64,
}

impl ExportRow {
    fn into_record(self) -> sqlx::Result<ExportRecord> {
        let p256dh = self.p256dh.try_into();
        let auth = self.auth.try_into();
        Ok(ExportRecord {
            id: SubscriptionId::trusted(self.public_id),
            endpoint: self.endpoint,
            keys: BrowserKeys {
                p256dh: p256dh.map_err(|_| decode_error("public key"))?,
                auth: auth.map_err(|_| decode_error("authentication secret"))?,
            },
            vapid_key: VapidKeyNumber(self.vapid_key),
            user_id: self.user_id,
            tags: parse_tags(self.tags.as_deref())?,
            lang: self.lang,
            time_zone: self.time_zone,
            platform: self.platform,
            created_at: UnixMillis(self.created_at),
        })
    }
}
