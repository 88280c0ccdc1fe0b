//! Whom subscriptions belong to, and what they care for.
//!
//! A subscription's own tags are the truth; which active subscriptions have a tag is kept beside them (`tag_positions`). Whoever
//! changes both locks the app first if they need to, then the subscription, then the tags.

use async_trait::async_trait;
use hato_domain::{
    AppId, Endpoint, LanguageTag, Profile, ProfileChange, SubscriptionId, Tag, Tags, TimeZoneName,
    UserId,
};
use hato_service::ports::{ChangeProfileOutcome, ProfileRecord, ProfileStore, StoreError};

use crate::Database;
use crate::dialect::{DbConnection, lock_app, readers, sql, transaction};
use crate::error::{decode_error, json, with_context};
use crate::subscriptions::{change_counts, endpoint_hash};
use crate::tag_positions::{TagChange, change_tags};

#[async_trait]
impl ProfileStore for Database {
    async fn profile(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
    ) -> Result<Option<ProfileRecord>, StoreError> {
        let row = sqlx::query_as!(
            ProfileRow,
            "SELECT id, public_id, position, user_id, tags, lang, time_zone FROM subscriptions
             WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL",
            app.as_str(),
            &endpoint_hash(endpoint)[..]
        )
        .fetch_optional(readers(self))
        .await;
        row.and_then(|row| row.map(ProfileRow::into_record).transpose())
            .map_err(with_context("read a profile"))
    }

    async fn change_profile(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        profile: ProfileChange,
    ) -> Result<ChangeProfileOutcome, StoreError> {
        let (app, endpoint) = (app.clone(), endpoint.clone());
        transaction!(self, "change a profile", |c| {
            change(c, &app, &endpoint, &profile).await
        })
    }

    async fn erase_subscriptions(
        &self,
        app: &AppId,
        user: &UserId,
        limit: u32,
    ) -> Result<u32, StoreError> {
        let (app, user) = (app.clone(), user.clone());
        transaction!(self, "erase a user's subscriptions", |c| {
            erase(c, &app, &user, limit).await
        })
    }
}

/// A subscription as far as its profile is concerned.
pub(crate) struct ProfileRow {
    pub(crate) id: i64,
    public_id: String,
    pub(crate) position: Option<i64>,
    user_id: Option<String>,
    tags: Option<String>,
    lang: Option<String>,
    time_zone: Option<String>,
}

impl ProfileRow {
    /// The profile that the row holds.
    pub(crate) fn profile(&self) -> sqlx::Result<Profile> {
        Ok(Profile {
            user_id: self.user_id.as_ref().map(UserId::trusted),
            tags: parse_tags(self.tags.as_deref())?,
            lang: self.lang.as_ref().map(LanguageTag::trusted),
            time_zone: self.time_zone.as_ref().map(TimeZoneName::trusted),
        })
    }

    fn into_record(self) -> sqlx::Result<ProfileRecord> {
        Ok(ProfileRecord {
            profile: self.profile()?,
            id: SubscriptionId::trusted(self.public_id),
        })
    }
}

/// Which subscriptions are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Those that are active.
    Active,
    /// All; the app is locked before.
    All,
}

/// The app's subscription with this endpoint, which stays as it is until the end of the transaction.
pub(crate) async fn find_for_update(
    c: &mut DbConnection,
    app: &AppId,
    endpoint: &Endpoint,
    among: Among,
) -> sqlx::Result<Option<ProfileRow>> {
    sql!(query_as ProfileRow [
        "SELECT id, public_id, position, user_id, tags, lang, time_zone FROM subscriptions
         WHERE app_id = $1 AND endpoint_hash = $2 AND (position IS NOT NULL OR $3)" FOR_UPDATE
    ] app.as_str(), &endpoint_hash(endpoint)[..], among == Among::All)
    .fetch_optional(c)
    .await
}

async fn change(
    c: &mut DbConnection,
    app: &AppId,
    endpoint: &Endpoint,
    change: &ProfileChange,
) -> sqlx::Result<ChangeProfileOutcome> {
    let row = find_for_update(c, app, endpoint, Among::Active).await?;
    let Some((row, position)) = row.and_then(|row| row.position.map(|position| (row, position)))
    else {
        return Ok(ChangeProfileOutcome::NotFound);
    };
    let before = row.profile()?;
    let Ok(profile) = before.changed(change) else {
        return Ok(ChangeProfileOutcome::TooManyTags);
    };
    if profile != before {
        write(c, row.id, &profile).await?;
        retag(c, app, position, &before.tags, &profile.tags).await?;
    }
    let id = SubscriptionId::trusted(row.public_id);
    Ok(ChangeProfileOutcome::Changed(ProfileRecord { id, profile }))
}

async fn write(c: &mut DbConnection, subscription: i64, profile: &Profile) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE subscriptions
         SET user_id = $2, tags = NULLIF($3, '[]'), lang = $4, time_zone = $5 WHERE id = $1",
        subscription,
        profile.user_id.as_ref().map(UserId::as_str),
        stored_tags(&profile.tags)?,
        profile.lang.as_ref().map(LanguageTag::as_str),
        profile.time_zone.as_ref().map(TimeZoneName::as_str)
    )
    .execute(c)
    .await
    .map(drop)
}

/// Tags as a statement takes them, which stores NULL in the place of an empty list.
pub(crate) fn stored_tags(tags: &Tags) -> sqlx::Result<String> {
    json(&tags.iter().map(Tag::as_str).collect::<Vec<_>>())
}

/// Tags as their column holds them.
pub(crate) fn parse_tags(stored: Option<&str>) -> sqlx::Result<Tags> {
    let Some(stored) = stored else {
        return Ok(Tags::default());
    };
    let tags: Vec<String> = serde_json::from_str(stored).map_err(|_| decode_error("tags"))?;
    Ok(Tags::trusted(tags))
}

/// Records that the subscription at this position has the tags `after` in the place of `before`.
pub(crate) async fn retag(
    c: &mut DbConnection,
    app: &AppId,
    position: i64,
    before: &Tags,
    after: &Tags,
) -> sqlx::Result<()> {
    let change = |is_set| {
        move |tag: &Tag| TagChange {
            tag: tag.as_str().to_owned(),
            position,
            is_set,
        }
    };
    let lost = before.without(after).map(change(false));
    let changes: Vec<_> = lost
        .chain(after.without(before).map(change(true)))
        .collect();
    if changes.is_empty() {
        return Ok(());
    }
    change_tags(c, app.as_str(), &changes).await
}

struct ErasedRow {
    public_id: String,
    position: Option<i64>,
    tags: Option<String>,
}

/// Removes at most `limit` of the user's subscriptions, and returns how many. Waiting events and queued sends name them by number
/// alone, which leads nowhere then.
async fn erase(c: &mut DbConnection, app: &AppId, user: &UserId, limit: u32) -> sqlx::Result<u32> {
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
    let active = erased.iter().filter(|row| row.position.is_some()).count();
    let (active, deactivated) = (count(active), count(erased.len() - active));
    change_counts(c, app.as_str(), (-active, -deactivated)).await?;
    let mut changes = Vec::new();
    for row in &erased {
        changes.extend(lost_tags(row)?);
    }
    if !changes.is_empty() {
        change_tags(c, app.as_str(), &changes).await?;
    }
    Ok(u32::try_from(erased.len()).unwrap_or(limit))
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

fn lost_tags(row: &ErasedRow) -> sqlx::Result<Vec<TagChange>> {
    let Some(position) = row.position else {
        return Ok(Vec::new());
    };
    let tags = parse_tags(row.tags.as_deref())?;
    let lost = |tag: &Tag| TagChange {
        tag: tag.as_str().to_owned(),
        position,
        is_set: false,
    };
    Ok(tags.iter().map(lost).collect())
}

fn count(subscriptions: usize) -> i64 {
    i64::try_from(subscriptions).unwrap_or(i64::MAX)
}
