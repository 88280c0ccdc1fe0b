//! What a registration makes of a subscription's profile: what the client says, else what the subscription has whose place it takes,
//! else what is stored.
//!
//! The VAPID key that the client names is looked up here as well.
//!
//! A registration that says nothing of tags and replaces nothing needs to know nothing of what is stored, and costs no statement.

use hato_domain::{
    AppId, Endpoint, LanguageTag, Profile, ProfileChange, TagsChange, TimeZoneName, UserId,
};
use hato_service::ports::{NewSubscription, RegisterOutcome};

use crate::dialect::{DbConnection, lock_app};
use crate::profiles::{ProfileRow, SubscriptionScope, find_for_update};
use crate::values::stored_tags;
use crate::vapid_keys::named_key;

/// A registration, and the subscription whose place it takes.
pub(crate) struct Registration<'a> {
    pub(crate) new: &'a NewSubscription,
    /// The number of the VAPID key that the client names.
    pub(crate) vapid_key: Option<i64>,
    replaced: Option<Replaced<'a>>,
}

/// The other subscription that this one replaces.
pub(crate) struct Replaced<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) is_active: bool,
    number: i64,
    profile: Profile,
}

/// How the profile is written: what is `None` stays as it is.
pub(crate) struct WrittenProfile {
    pub(crate) user_id: Option<UserId>,
    /// A JSON array, which stores NULL when it is empty.
    pub(crate) tags: Option<String>,
    pub(crate) lang: Option<LanguageTag>,
    pub(crate) time_zone: Option<TimeZoneName>,
}

impl WrittenProfile {
    /// What the client says, whatever is stored.
    fn as_said(said: &ProfileChange) -> Self {
        Self {
            user_id: said.user_id.value().cloned(),
            tags: None,
            lang: said.lang.value().cloned(),
            time_zone: said.time_zone.value().cloned(),
        }
    }

    fn whole(profile: Profile) -> sqlx::Result<Self> {
        Ok(Self {
            tags: Some(stored_tags(&profile.tags)?),
            user_id: profile.user_id,
            lang: profile.lang,
            time_zone: profile.time_zone,
        })
    }
}

impl<'a> Registration<'a> {
    /// Looks for the other endpoint that this one replaces, if it names one, and the app is locked then; and for the VAPID key that it
    /// names, which the app keeps then.
    pub(crate) async fn begin(
        c: &mut DbConnection,
        new: &'a NewSubscription,
    ) -> sqlx::Result<Result<Self, RegisterOutcome>> {
        let other = new.replaces.as_ref().filter(|it| **it != new.endpoint);
        if other.is_some() {
            lock_app(c, &new.app_id).await?;
        }
        let vapid_key = match &new.vapid_public_key {
            Some(key) => match named_key(c, &new.app_id, key).await? {
                Ok(number) => Some(number),
                Err(refusal) => return Ok(Err(refusal)),
            },
            None => None,
        };
        let replaced = match other {
            Some(endpoint) => Replaced::find(c, &new.app_id, endpoint).await?,
            None => None,
        };
        Ok(Ok(Self {
            new,
            vapid_key,
            replaced,
        }))
    }

    /// The registration of an endpoint that is new to the app and replaces none, with the VAPID key that it names, and its profile;
    /// `None` when there are too many tags.
    pub(crate) fn from_new(
        new: &'a NewSubscription,
        vapid_key: Option<i64>,
    ) -> sqlx::Result<Option<(Self, WrittenProfile)>> {
        let registration = Self {
            new,
            vapid_key,
            replaced: None,
        };
        let profile = registration.profile_over(None)?;
        Ok(profile.map(|profile| (registration, profile)))
    }

    /// The subscription whose place it takes.
    pub(crate) fn replaced(&self) -> Option<&Replaced<'a>> {
        self.replaced.as_ref()
    }

    /// Whether it has to know what is stored of the subscription.
    pub(crate) fn asks_for_stored(&self) -> bool {
        self.new.profile.tags != TagsChange::Keep || self.replaced.is_some()
    }

    /// What is written over `stored`; `None` when these would be too many tags.
    pub(crate) fn profile_over(
        &self,
        stored: Option<&ProfileRow>,
    ) -> sqlx::Result<Option<WrittenProfile>> {
        let said = &self.new.profile;
        if !self.asks_for_stored() {
            return Ok(Some(WrittenProfile::as_said(said)));
        }
        let mut profile = stored.map_or_else(|| Ok(Profile::default()), ProfileRow::profile)?;
        if let Some(replaced) = &self.replaced {
            profile = profile.in_place_of(replaced.profile.clone());
        }
        let Ok(profile) = profile.changed(said) else {
            return Ok(None);
        };
        WrittenProfile::whole(profile).map(Some)
    }
}

impl<'a> Replaced<'a> {
    async fn find(
        c: &mut DbConnection,
        app: &AppId,
        endpoint: &'a Endpoint,
    ) -> sqlx::Result<Option<Self>> {
        let row = find_for_update(c, app, endpoint, SubscriptionScope::All).await?;
        row.map(|row| Self::read(endpoint, &row)).transpose()
    }

    fn read(endpoint: &'a Endpoint, row: &ProfileRow) -> sqlx::Result<Self> {
        Ok(Self {
            endpoint,
            is_active: row.position.is_some(),
            number: row.id,
            profile: row.profile()?,
        })
    }

    /// Takes the user and the owner's tags from the replaced subscription, which is not active any more: it has handed them on, and
    /// could hand them to any number of others, or keep them beside the one that has them now, if it came back with them. That it had
    /// this user stays known, for erasing the user erases it as well.
    pub(crate) async fn give_up(&self, c: &mut DbConnection) -> sqlx::Result<()> {
        let visitors = self.profile.tags.visitors();
        if self.profile.user_id.is_none() && visitors == self.profile.tags {
            return Ok(());
        }
        sqlx::query!(
            "UPDATE subscriptions SET tags = NULLIF($2, '[]'), handed_on = 1 WHERE id = $1",
            self.number,
            stored_tags(&visitors)?
        )
        .execute(c)
        .await
        .map(drop)
    }
}
