//! Whom subscriptions belong to, and what they care for.
//!
//! A subscription's own tags are the truth; which active subscriptions have a tag is kept beside them (`tag_positions`). Whoever
//! changes both locks the app first if they need to, then the subscription, then the tags.

use async_trait::async_trait;
use hato_domain::{
    AppId, Endpoint, LanguageTag, Profile, ProfileChange, SendId, SubscriptionId, Tag, Tags,
    TimeZoneName, UnixMillis, UserId,
};
use hato_service::ports::{
    ChangeProfileOutcome, DeactivationReason, ProfileRecord, ProfileStore, StoreError,
};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::erasure::{erase, forget_scheduled};
use crate::error::with_context;
use crate::tag_positions::{TagChange, change_tags};
use crate::transaction::transaction;
use crate::values::{endpoint_hash, parse_tags, stored_tags};

#[async_trait]
impl ProfileStore for Database {
    async fn profile(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
    ) -> Result<Option<ProfileRecord>, StoreError> {
        let row = sqlx::query_as!(
            ProfileRow,
            "SELECT id, public_id, position, user_id, tags, lang, time_zone, handed_on, deactivation_reason
             FROM subscriptions WHERE app_id = $1 AND endpoint_hash = $2 AND position IS NOT NULL",
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
        now: UnixMillis,
    ) -> Result<u32, StoreError> {
        let (app, user) = (app.clone(), user.clone());
        transaction!(self, "erase a user's subscriptions", |c| {
            erase(c, &app, &user, limit, now).await
        })
    }

    async fn forget_scheduled_user(
        &self,
        app: &AppId,
        user: &UserId,
        after: Option<SendId>,
        limit: u32,
    ) -> Result<Option<SendId>, StoreError> {
        let (app, user) = (app.clone(), user.clone());
        transaction!(self, "take a user out of scheduled sends", |c| {
            forget_scheduled(c, &app, &user, after.as_ref(), limit).await
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
    handed_on: Option<i64>,
    deactivation_reason: Option<String>,
}

impl ProfileRow {
    /// The profile that the row holds; without the user, when another subscription has taken that over.
    pub(crate) fn profile(&self) -> sqlx::Result<Profile> {
        let user_id = self.user_id.as_ref().filter(|_| !self.has_handed_on());
        Ok(Profile {
            user_id: user_id.map(UserId::trusted),
            tags: parse_tags(self.tags.as_deref())?,
            lang: self.lang.as_ref().map(LanguageTag::trusted),
            time_zone: self.time_zone.as_ref().map(TimeZoneName::trusted),
        })
    }

    /// Whether another subscription has its user: it was replaced while it was active, or afterwards.
    fn has_handed_on(&self) -> bool {
        let replaced = DeactivationReason::Replaced.as_str();
        self.handed_on.is_some() || self.deactivation_reason.as_deref() == Some(replaced)
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
pub(crate) enum SubscriptionScope {
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
    among: SubscriptionScope,
) -> sqlx::Result<Option<ProfileRow>> {
    sql!(query_as ProfileRow [
        "SELECT id, public_id, position, user_id, tags, lang, time_zone, handed_on, deactivation_reason
         FROM subscriptions
         WHERE app_id = $1 AND endpoint_hash = $2 AND (position IS NOT NULL OR $3)" FOR_UPDATE
    ] app.as_str(), &endpoint_hash(endpoint)[..], among == SubscriptionScope::All)
    .fetch_optional(c)
    .await
}

async fn change(
    c: &mut DbConnection,
    app: &AppId,
    endpoint: &Endpoint,
    change: &ProfileChange,
) -> sqlx::Result<ChangeProfileOutcome> {
    let row = find_for_update(c, app, endpoint, SubscriptionScope::Active).await?;
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

/// Records that the subscription at this position has the tags `after` in the place of `before`.
pub(crate) async fn retag(
    c: &mut DbConnection,
    app: &AppId,
    position: i64,
    before: &Tags,
    after: &Tags,
) -> sqlx::Result<()> {
    let change = |is_set| move |tag: &Tag| TagChange::new(tag, position, is_set);
    let lost = before.without(after).map(change(false));
    let gained = after.without(before).map(change(true));
    let changes: Vec<_> = lost.chain(gained).collect();
    if changes.is_empty() {
        return Ok(());
    }
    change_tags(c, app.as_str(), &changes).await
}
