//! Whom a subscription belongs to, and what it cares for (CONTRACT 12).

use crate::{ErrorCode, LanguageTag, Tags, TagsChange, TimeZoneName, UserId};

/// What a site says of the person behind a subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The site's id of the user; `None` when nobody is logged in.
    pub user_id: Option<UserId>,
    /// What the subscription cares for.
    pub tags: Tags,
    /// The language of the browser, a tag such as `ja`.
    pub lang: Option<LanguageTag>,
    /// The browser's time zone.
    pub time_zone: Option<TimeZoneName>,
}

impl Profile {
    /// This one as `change` leaves it; `INVALID_INPUT` when it makes too many tags.
    pub fn changed(&self, change: &ProfileChange) -> Result<Self, ErrorCode> {
        Ok(Self {
            user_id: change.user_id.applied_to(self.user_id.as_ref()),
            tags: self.tags.changed(&change.tags)?,
            lang: change.lang.applied_to(self.lang.as_ref()),
            time_zone: change.time_zone.applied_to(self.time_zone.as_ref()),
        })
    }

    /// This one in the place of `replaced`, from which it takes over what that has; of the owner's tags it has those of both. Where
    /// there is no room for all, the owner's go before the visitor's, and those of the replaced one before its own (CONTRACT 12).
    #[must_use]
    pub fn in_place_of(self, replaced: Self) -> Self {
        let tags = if replaced.tags.is_empty() {
            self.tags
        } else {
            let owners = replaced.tags.owners();
            let owners = owners.filled_up_with(&self.tags.owners());
            owners.filled_up_with(&replaced.tags.visitors())
        };
        Self {
            user_id: replaced.user_id.or(self.user_id),
            tags,
            lang: replaced.lang.or(self.lang),
            time_zone: replaced.time_zone.or(self.time_zone),
        }
    }
}

/// What becomes of a profile; by default it stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileChange {
    /// What becomes of the user.
    pub user_id: FieldChange<UserId>,
    /// What becomes of the tags.
    pub tags: TagsChange,
    /// What becomes of the language.
    pub lang: FieldChange<LanguageTag>,
    /// What becomes of the time zone.
    pub time_zone: FieldChange<TimeZoneName>,
}

impl ProfileChange {
    /// Whether it leaves every profile as it is.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What becomes of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldChange<T> {
    /// The value stays as it is stored.
    #[default]
    Keep,
    /// There is none any more.
    Clear,
    /// It is this one from now on.
    Set(T),
}

impl<T> FieldChange<T> {
    /// The same with the value that is set read by `read`.
    pub fn try_map<U, E>(self, read: impl FnOnce(T) -> Result<U, E>) -> Result<FieldChange<U>, E> {
        Ok(match self {
            Self::Keep => FieldChange::Keep,
            Self::Clear => FieldChange::Clear,
            Self::Set(value) => FieldChange::Set(read(value)?),
        })
    }
}

impl<T: Clone> FieldChange<T> {
    /// The value that is set.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// What the value is after the change.
    pub(crate) fn applied_to(&self, before: Option<&T>) -> Option<T> {
        match self {
            Self::Keep => before.cloned(),
            Self::Clear => None,
            Self::Set(value) => Some(value.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldChange, Profile, ProfileChange};
    use crate::{Tags, TagsChange, UserId};

    fn profile(user: Option<&str>, tags: &[&str]) -> Profile {
        Profile {
            user_id: user.map(UserId::trusted),
            tags: Tags::trusted(tags.iter().map(|&it| it.to_owned())),
            ..Profile::default()
        }
    }

    #[test]
    fn a_change_sets_keeps_and_clears() {
        let before = profile(Some("u"), &["a"]);
        let change = |user_id| ProfileChange {
            user_id,
            ..ProfileChange::default()
        };
        let after = |user_id| before.changed(&change(user_id)).expect("few tags");
        assert!(change(FieldChange::Keep).is_none());
        assert_eq!(after(FieldChange::Keep), before);
        assert_eq!(after(FieldChange::Clear), profile(None, &["a"]));
        let set = FieldChange::Set(UserId::trusted("v"));
        assert_eq!(after(set), profile(Some("v"), &["a"]));
    }

    #[test]
    fn what_is_replaced_goes_before_what_is_there_and_behind_what_is_asked() {
        let (own, replaced) = (profile(Some("u"), &["a", "_x"]), profile(Some("v"), &["b"]));
        let taken = own.clone().in_place_of(replaced.clone());
        assert_eq!(taken, profile(Some("v"), &["b", "_x"]));
        let kept = own.clone().in_place_of(Profile::default());
        assert_eq!(kept, own);
        let asked = ProfileChange {
            tags: TagsChange::Replace(Tags::default()),
            ..ProfileChange::default()
        };
        let asked = taken.changed(&asked).expect("few tags");
        assert_eq!(asked, profile(Some("v"), &[]));
    }
    #[test]
    fn the_owners_tags_and_then_the_replaced_ones_go_first() {
        let numbered = |prefix: &str, count: usize| {
            let tags = (0..count).map(|it| format!("{prefix}{it:02}"));
            tags.collect::<Vec<_>>()
        };
        let of = |tags: &[Vec<String>]| Profile {
            tags: Tags::trusted(tags.concat()),
            ..Profile::default()
        };
        let own = of(&[numbered("_own", 20), numbered("own", 30)]);
        let replaced = of(&[numbered("_replaced", 20), numbered("replaced", 30)]);
        let expected = of(&[
            numbered("_own", 20),
            numbered("_replaced", 20),
            numbered("replaced", 10),
        ]);
        assert_eq!(own.clone().in_place_of(replaced), expected);
        let replaced = of(&[numbered("_replaced", 50)]);
        assert_eq!(own.in_place_of(replaced.clone()), replaced);
    }
}
