//! What a registration makes of a subscription's profile: what the client says, else what the subscription has whose place it takes,
//! else what is stored.
//!
//! A registration that says nothing of tags and replaces nothing needs to know nothing of what is stored, and costs no statement.

use hato_domain::{Endpoint, LanguageTag, Profile, TagsChange, TimeZoneName, UserId};
use hato_service::ports::NewSubscription;

use crate::dialect::{DbConnection, lock_app};
use crate::profiles::{Among, ProfileRow, find_for_update, stored_tags};

/// A registration, and the subscription whose place it takes.
pub(crate) struct Registration<'a> {
    pub(crate) new: &'a NewSubscription,
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

impl<'a> Registration<'a> {
    /// Looks for the other endpoint that this one replaces, if it names one; the app is locked then.
    pub(crate) async fn begin(
        c: &mut DbConnection,
        new: &'a NewSubscription,
    ) -> sqlx::Result<Self> {
        let other = new.replaces.as_ref().filter(|it| **it != new.endpoint);
        let Some(endpoint) = other else {
            let replaced = None;
            return Ok(Self { new, replaced });
        };
        lock_app(c, &new.app_id).await?;
        let row = find_for_update(c, &new.app_id, endpoint, Among::All).await?;
        let replaced = row.map(|row| Replaced::read(endpoint, &row)).transpose()?;
        Ok(Self { new, replaced })
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
            return Ok(Some(WrittenProfile {
                user_id: said.user_id.value().cloned(),
                tags: None,
                lang: said.lang.value().cloned(),
                time_zone: said.time_zone.value().cloned(),
            }));
        }
        let mut profile = stored.map_or_else(|| Ok(Profile::default()), ProfileRow::profile)?;
        if let Some(replaced) = &self.replaced {
            let Ok(taken_over) = profile.in_place_of(replaced.profile.clone()) else {
                return Ok(None);
            };
            profile = taken_over;
        }
        let Ok(profile) = profile.changed(said) else {
            return Ok(None);
        };
        Ok(Some(WrittenProfile {
            tags: Some(stored_tags(&profile.tags)?),
            user_id: profile.user_id,
            lang: profile.lang,
            time_zone: profile.time_zone,
        }))
    }
}

impl<'a> Replaced<'a> {
    fn read(endpoint: &'a Endpoint, row: &ProfileRow) -> sqlx::Result<Self> {
        Ok(Self {
            endpoint,
            is_active: row.position.is_some(),
            number: row.id,
            profile: row.profile()?,
        })
    }

    /// Takes the owner's tags from the replaced subscription, which is not active any more: it has handed them on, and could hand them
    /// to any number of others if it came back with them.
    pub(crate) async fn give_up_owners_tags(&self, c: &mut DbConnection) -> sqlx::Result<()> {
        let visitors = self.profile.tags.visitors();
        if visitors == self.profile.tags {
            return Ok(());
        }
        sqlx::query!(
            "UPDATE subscriptions SET tags = NULLIF($2, '[]') WHERE id = $1",
            self.number,
            stored_tags(&visitors)?
        )
        .execute(c)
        .await
        .map(drop)
    }
}
