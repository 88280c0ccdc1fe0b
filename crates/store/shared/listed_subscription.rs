//! The statements by which lists find subscriptions, and what they find.

use futures_util::stream::BoxStream;
use hato_domain::{AppId, Cursor, PositionSet, SubscriptionId, Tag, UnixMillis, UserId};
use hato_service::ports::{Deactivated, DeactivationReason, SubscriptionRecord};
use sqlx::Executor;

use crate::dialect::{DbConnection, Driver, sql};
use crate::error::{decode_error, json};
use crate::values::parse_tags;

/// Most that are found by an index and then sorted.
pub(crate) const MAX_SORTED: i64 = 5_000;

/// The time and the id before which rows are taken, and how many at most.
pub(crate) type Beginning<'b> = (i64, &'b str, i64);
pub(crate) type ListedRows<'c> = BoxStream<'c, sqlx::Result<ListedRow>>;

/// The app's subscription with this id.
pub(crate) async fn row_of<'e>(
    reader: impl Executor<'e, Database = Driver>,
    app: &AppId,
    id: &SubscriptionId,
) -> sqlx::Result<Option<ListedRow>> {
    sqlx::query_as!(
        ListedRow,
        "SELECT public_id, endpoint, platform, user_id, tags, lang, time_zone, position,
                deactivated_at, deactivation_reason, created_at
         FROM subscriptions WHERE app_id = $1 AND public_id = $2",
        app.as_str(),
        id.as_str()
    )
    .fetch_optional(reader)
    .await
}

pub(crate) fn rows_of_all<'c>(
    c: &'c mut DbConnection,
    app: &'c AppId,
    from: Beginning<'c>,
) -> ListedRows<'c> {
    let (before, before_id, limit) = from;
    sqlx::query_as!(
        ListedRow,
        "SELECT public_id, endpoint, platform, user_id, tags, lang, time_zone, position,
                deactivated_at, deactivation_reason, created_at
         FROM subscriptions WHERE app_id = $1 AND (created_at, public_id) < ($2, $3)
         ORDER BY created_at DESC, public_id DESC LIMIT $4",
        app.as_str(),
        before,
        before_id,
        limit
    )
    .fetch(c)
}

/// The user's latest 5,000 registered subscriptions, by their index, are sorted.
pub(crate) fn rows_of_user<'c>(
    c: &'c mut DbConnection,
    app: &'c AppId,
    user: &'c UserId,
    from: Beginning<'c>,
) -> ListedRows<'c> {
    let (before, before_id, limit) = from;
    sqlx::query_as!(
        ListedRow,
        r#"SELECT public_id AS "public_id!", endpoint AS "endpoint!", platform, user_id, tags, lang,
                  time_zone, position, deactivated_at, deactivation_reason,
                  created_at AS "created_at!"
           FROM (SELECT id, public_id, endpoint, platform, user_id, tags, lang, time_zone, position,
                        deactivated_at, deactivation_reason, created_at
                 FROM subscriptions WHERE app_id = $1 AND user_id = $2
                 ORDER BY id DESC LIMIT $3) AS own
           WHERE (created_at, public_id) < ($4, $5)
           ORDER BY created_at DESC, public_id DESC LIMIT $6"#,
        app.as_str(),
        user.as_str(),
        MAX_SORTED,
        before,
        before_id,
        limit
    )
    .fetch(c)
}

pub(crate) fn rows_at<'c>(
    c: &'c mut DbConnection,
    app: &'c AppId,
    positions: &PositionSet,
    from: Beginning<'c>,
) -> sqlx::Result<ListedRows<'c>> {
    let (before, before_id, limit) = from;
    let positions: Vec<i64> = positions.iter().collect();
    let rows = sql!(query_as ListedRow [
        "SELECT public_id, endpoint, platform, user_id, tags, lang, time_zone, position,
                deactivated_at, deactivation_reason, created_at
         FROM subscriptions
         WHERE " OF_APP("position" IN NUMBERS) " AND (created_at, public_id) < ($3, $4)
         ORDER BY created_at DESC, public_id DESC LIMIT $5"
    ] json(&positions)?, app.as_str(), before, before_id, limit);
    Ok(rows.fetch(c))
}

/// A subscription as it is stored.
pub(crate) struct ListedRow {
    public_id: String,
    pub(crate) endpoint: String,
    pub(crate) platform: Option<String>,
    user_id: Option<String>,
    tags: Option<String>,
    lang: Option<String>,
    time_zone: Option<String>,
    pub(crate) position: Option<i64>,
    deactivated_at: Option<i64>,
    deactivation_reason: Option<String>,
    created_at: i64,
}

impl ListedRow {
    /// Where a page ends whose last subscription this is.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor {
            before: UnixMillis(self.created_at),
            before_id: Some(self.public_id.clone()),
        }
    }

    pub(crate) fn has_tag(&self, tag: &Tag) -> sqlx::Result<bool> {
        Ok(parse_tags(self.tags.as_deref())?.contains(tag))
    }

    /// As lists show it, with the day on which it last took a send.
    pub(crate) fn into_record(
        self,
        last_success_on: Option<i64>,
    ) -> sqlx::Result<SubscriptionRecord> {
        Ok(SubscriptionRecord {
            deactivated: self.deactivated()?,
            tags: parse_tags(self.tags.as_deref())?,
            id: SubscriptionId::trusted(self.public_id),
            endpoint: self.endpoint,
            platform: self.platform,
            user_id: self.user_id,
            lang: self.lang,
            time_zone: self.time_zone,
            last_success_on,
            created_at: UnixMillis(self.created_at),
        })
    }

    fn deactivated(&self) -> sqlx::Result<Option<Deactivated>> {
        let Some(at) = self.deactivated_at.map(UnixMillis) else {
            return Ok(None);
        };
        let reason = self.deactivation_reason.as_deref();
        let reason = reason.and_then(DeactivationReason::parse);
        Ok(Some(Deactivated {
            at,
            reason: reason.ok_or_else(|| decode_error("deactivation_reason"))?,
        }))
    }
}
