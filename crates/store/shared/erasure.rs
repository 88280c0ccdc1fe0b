//! Erasing a user: the subscriptions, and what names them or the user.
//!
//! Waiting events, queued sends and the blocks of who was counted name subscriptions by number alone, which leads nowhere when they are
//! gone: who is not there any more is skipped, and no number is given twice.

use std::collections::HashSet;

use hato_domain::{AppId, SendId, UnixMillis, UserId};
use serde_json::Value;

use crate::dialect::{DbConnection, lock_app, sql};
use crate::error::{decode_error, json};
use crate::subscription_counts::{change_counts, count_growth};
use crate::tag_positions::{TaggedPosition, clear_tags};
use crate::values::{count_i64, hexadecimal};

struct ErasedRow {
    public_id: String,
    position: Option<i64>,
    tags: Option<String>,
}

impl ErasedRow {
    fn tagged(self) -> Option<TaggedPosition> {
        let (position, tags) = self.position.zip(self.tags)?;
        Some(TaggedPosition { position, tags })
    }
}

/// Removes at most `limit` of the user's subscriptions, and returns how many.
pub(crate) async fn erase(
    c: &mut DbConnection,
    app: &AppId,
    user: &UserId,
    limit: u32,
    now: UnixMillis,
) -> sqlx::Result<u32> {
    lock_app(c, app).await?;
    let erased = remove(c, app, user, limit).await?;
    if erased.is_empty() {
        return Ok(0);
    }
    forget_dead_letters(c, app, &erased).await?;
    let removed = erased.len();
    count_erased(c, app.as_str(), &erased, now).await?;
    let tagged: Vec<_> = erased.into_iter().filter_map(ErasedRow::tagged).collect();
    clear_tags(c, app.as_str(), &tagged).await?;
    Ok(u32::try_from(removed).unwrap_or(limit))
}

async fn remove(
    c: &mut DbConnection,
    app: &AppId,
    user: &UserId,
    limit: u32,
) -> sqlx::Result<Vec<ErasedRow>> {
    sqlx::query_as!(
        ErasedRow,
        r#"DELETE FROM subscriptions
           WHERE user_id = $2 AND id IN
             (SELECT id FROM subscriptions WHERE app_id = $1 AND user_id = $2 ORDER BY id LIMIT $3)
           RETURNING public_id AS "public_id!", position AS "position?: i64", tags AS "tags?""#,
        app.as_str(),
        user.as_str(),
        i64::from(limit)
    )
    .fetch_all(c)
    .await
}

async fn count_erased(
    c: &mut DbConnection,
    app: &str,
    erased: &[ErasedRow],
    now: UnixMillis,
) -> sqlx::Result<()> {
    let active = erased.iter().filter(|row| row.position.is_some()).count();
    let (active, deactivated) = (count_i64(active), count_i64(erased.len() - active));
    change_counts(c, app, (-active, -deactivated)).await?;
    count_growth(c, app, now, (0, active)).await
}

async fn forget_dead_letters(
    c: &mut DbConnection,
    app: &AppId,
    erased: &[ErasedRow],
) -> sqlx::Result<()> {
    let subscriptions: Vec<&str> = erased.iter().map(|row| row.public_id.as_str()).collect();
    sql!(query [
        "DELETE FROM dead_letters WHERE subscription_id IN (" TEXTS ") AND app_id = $2"
    ] json(&subscriptions)?, app.as_str())
    .execute(c)
    .await
    .map(drop)
}

struct ScheduledRow {
    id: String,
    audience: String,
}

impl ScheduledRow {
    /// Which send this is, and its audience.
    fn parse(self) -> sqlx::Result<(String, Value)> {
        let audience = serde_json::from_str(&self.audience);
        Ok((self.id, audience.map_err(|_| decode_error("audience"))?))
    }
}

/// Takes the user, and the endpoints of the user's subscriptions, out of at most `limit` scheduled sends behind `after`, and returns the
/// last of these.
pub(crate) async fn forget_scheduled(
    c: &mut DbConnection,
    app: &AppId,
    user: &UserId,
    after: Option<&SendId>,
    limit: u32,
) -> sqlx::Result<Option<SendId>> {
    let scheduled = scheduled(c, app, after, limit).await?;
    let last = scheduled.last().map(|(id, _)| SendId::trusted(id.clone()));
    let endpoints = endpoints_of(c, app, user, &scheduled).await?;
    for (send, mut audience) in scheduled {
        let is_named = remove_from(&mut audience, "user_ids", |it| it == user.as_str());
        if remove_from(&mut audience, "endpoints", |it| endpoints.contains(it)) || is_named {
            write_audience(c, &send, &audience).await?;
        }
    }
    Ok(last)
}

/// At most `limit` scheduled sends behind `after`, with their audiences. They are locked.
async fn scheduled(
    c: &mut DbConnection,
    app: &AppId,
    after: Option<&SendId>,
    limit: u32,
) -> sqlx::Result<Vec<(String, Value)>> {
    let scheduled = sql!(query_as ScheduledRow [
        r#"SELECT id, audience AS "audience!" FROM sends
           WHERE app_id = $1 AND id > $2 AND waits_until IS NOT NULL AND audience IS NOT NULL
           ORDER BY id LIMIT $3"# FOR_UPDATE
    ] app.as_str(), after.map_or("", SendId::as_str), i64::from(limit))
    .fetch_all(c)
    .await?;
    scheduled.into_iter().map(ScheduledRow::parse).collect()
}

async fn write_audience(c: &mut DbConnection, send: &str, audience: &Value) -> sqlx::Result<()> {
    let change = sqlx::query!(
        "UPDATE sends SET audience = $2 WHERE id = $1",
        send,
        audience.to_string()
    );
    change.execute(c).await.map(drop)
}

/// The hashes of the endpoints that these audiences name.
fn named_endpoints(audiences: &[(String, Value)]) -> Vec<&Value> {
    let lists = audiences.iter().map(|(_, it)| it["endpoints"].as_array());
    lists.flatten().flatten().collect()
}

/// The hashes of the user's endpoints among those that these audiences name.
async fn endpoints_of(
    c: &mut DbConnection,
    app: &AppId,
    user: &UserId,
    audiences: &[(String, Value)],
) -> sqlx::Result<HashSet<String>> {
    let named = named_endpoints(audiences);
    if named.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = sql!(query [
        "SELECT endpoint_hash, user_id FROM subscriptions
         WHERE " OF_APP("endpoint_hash" IN HASHES)
    ] json(&named)?, app.as_str())
    .fetch_all(c)
    .await?;
    // Asked of the database, it might look at all subscriptions of the user instead.
    let own = rows
        .iter()
        .filter(|row| row.user_id.as_deref() == Some(user.as_str()));
    Ok(own.map(|row| hexadecimal(&row.endpoint_hash)).collect())
}

/// Removes texts from the lists with this name of the object and of those in it, and says whether there were any. An emptied list
/// stays: it is for nobody, and not for everybody.
fn remove_from(audience: &mut Value, list: &str, is_removed: impl Fn(&str) -> bool + Copy) -> bool {
    let Some(members) = audience.as_object_mut() else {
        return false;
    };
    let mut has_changed = false;
    for (name, value) in members {
        match value {
            Value::Array(texts) if name == list => {
                let before = texts.len();
                texts.retain(|it| !it.as_str().is_some_and(is_removed));
                has_changed |= texts.len() < before;
            }
            nested => has_changed |= remove_from(nested, list, is_removed),
        }
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::remove_from;

    #[test]
    fn a_list_without_the_user_stays_a_list() {
        for (before, after) in [
            (json!("everyone"), None),
            (json!({"tags": "u"}), None),
            (json!({"user_ids": ["v"]}), None),
            (
                json!({"user_ids": ["u", "v"], "tags": "u"}),
                Some(json!({"user_ids": ["v"], "tags": "u"})),
            ),
            (
                json!({"matching": {"user_ids": ["u"]}}),
                Some(json!({"matching": {"user_ids": []}})),
            ),
        ] {
            let mut audience = before.clone();
            let is_removed = remove_from(&mut audience, "user_ids", |it| it == "u");
            assert_eq!(is_removed, after.is_some());
            assert_eq!(audience, after.unwrap_or(before));
        }
    }
}
