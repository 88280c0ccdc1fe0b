//! Erasing a user: the subscriptions, and what names them or the user.
//!
//! Waiting events, queued sends and the blocks of who was counted name subscriptions by number alone, which leads nowhere when they are
//! gone: who is not there any more is skipped, and no number is given twice.

use hato_domain::{AppId, SendId, UserId};
use serde_json::Value;

use crate::dialect::{DbConnection, lock_app, sql};
use crate::error::{decode_error, json};
use crate::settlement::count_i64;
use crate::subscriptions::change_counts;
use crate::tag_positions::{TaggedPosition, clear_tags};

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
) -> sqlx::Result<u32> {
    lock_app(c, app).await?;
    let erased = sqlx::query_as!(
        ErasedRow,
        r#"DELETE FROM subscriptions
           WHERE user_id = $2 AND id IN
             (SELECT id FROM subscriptions WHERE app_id = $1 AND user_id = $2 ORDER BY id LIMIT $3)
           RETURNING public_id AS "public_id!", position AS "position?: i64", tags AS "tags?""#,
        app.as_str(),
        user.as_str(),
        i64::from(limit)
    )
    .fetch_all(&mut *c)
    .await?;
    if erased.is_empty() {
        return Ok(0);
    }
    forget_dead_letters(c, app, &erased).await?;
    let removed = erased.len();
    let active = erased.iter().filter(|row| row.position.is_some()).count();
    let (active, deactivated) = (count_i64(active), count_i64(removed - active));
    change_counts(c, app.as_str(), (-active, -deactivated)).await?;
    let tagged: Vec<_> = erased.into_iter().filter_map(ErasedRow::tagged).collect();
    clear_tags(c, app.as_str(), &tagged).await?;
    Ok(u32::try_from(removed).unwrap_or(limit))
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

/// Takes the user out of at most `limit` scheduled sends behind `after`, and returns the last of these.
pub(crate) async fn forget_scheduled(
    c: &mut DbConnection,
    app: &AppId,
    user: &UserId,
    after: Option<&SendId>,
    limit: u32,
) -> sqlx::Result<Option<SendId>> {
    let scheduled = sql!(query_as ScheduledRow [
        r#"SELECT id, audience AS "audience!" FROM sends
           WHERE app_id = $1 AND id > $2 AND waits_until IS NOT NULL AND audience IS NOT NULL
           ORDER BY id LIMIT $3"# FOR_UPDATE
    ] app.as_str(), after.map_or("", SendId::as_str), i64::from(limit))
    .fetch_all(&mut *c)
    .await?;
    for send in &scheduled {
        let audience = serde_json::from_str(&send.audience);
        let mut audience: Value = audience.map_err(|_| decode_error("audience"))?;
        if remove_user(&mut audience, user) {
            let (id, audience) = (&send.id, audience.to_string());
            sqlx::query!("UPDATE sends SET audience = $2 WHERE id = $1", id, audience)
                .execute(&mut *c)
                .await?;
        }
    }
    Ok(scheduled
        .into_iter()
        .last()
        .map(|send| SendId::trusted(send.id)))
}

/// Removes the user from the lists `user_ids` of the object and of those in it, and says whether it was there. An emptied list stays:
/// it is for nobody, and not for everybody.
fn remove_user(audience: &mut Value, user: &UserId) -> bool {
    let Some(members) = audience.as_object_mut() else {
        return false;
    };
    let mut is_removed = false;
    for (name, value) in members {
        match value {
            Value::Array(users) if name == "user_ids" => {
                let before = users.len();
                users.retain(|it| it.as_str() != Some(user.as_str()));
                is_removed |= users.len() < before;
            }
            nested => is_removed |= remove_user(nested, user),
        }
    }
    is_removed
}

#[cfg(test)]
mod tests {
    use hato_domain::UserId;
    use serde_json::json;

    use super::remove_user;

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
            assert_eq!(
                remove_user(&mut audience, &UserId::trusted("u")),
                after.is_some()
            );
            assert_eq!(audience, after.unwrap_or(before));
        }
    }
}
