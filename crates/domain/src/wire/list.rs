//! How lists of a request are read: each to its end, but of one that is too long no more is kept than shows it. What else a hostile body
//! is made of costs no memory.

use std::marker::PhantomData;
use std::{fmt, iter};

use serde::de::{DeserializeOwned, Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::body::read;
use crate::AudienceFilter;
use crate::tags::TagTexts;

/// The first elements of a list: at most `MAX`, and one that shows that there are more.
struct First<T, const MAX: usize>(Vec<T>);

type Users = First<String, { AudienceFilter::MAX_USERS }>;

/// An object: what serde would read from a list is none.
struct Object<T>(T);

/// Reads a list of `T`, which may be absent, as an `L`.
struct ListVisitor<T, L>(PhantomData<(T, L)>);

/// The tags of a subscription, each once; `null` and the empty string count as absent.
pub fn tags<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let tags = optional::<String, TagTexts, D>(from)?;
    Ok(tags.map(TagTexts::into_vec))
}

/// The first of a list of texts, `MAX` and one that shows that there are more; `null` and the empty string count as absent.
pub fn texts<'de, const MAX: usize, D>(from: D) -> Result<Option<Vec<String>>, D::Error>
where
    D: Deserializer<'de>,
{
    let texts = optional::<String, First<String, MAX>, D>(from)?;
    Ok(texts.map(|First(texts)| texts))
}

/// The users whom a send is for, who are never ignored once they are present: `null` and the empty string are errors.
pub fn users<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let users = from.deserialize_seq(ListVisitor::<String, Users>(PhantomData))?;
    Ok(users.map(|First(users)| users))
}

/// The first of a list of objects, `MAX` and one that shows that there are more; `null` and the empty string count as absent.
pub fn objects<'de, T, const MAX: usize, D>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let objects = optional::<Object<T>, First<Object<T>, MAX>, D>(from)?;
    Ok(objects.map(|First(objects)| objects.into_iter().map(|Object(object)| object).collect()))
}

/// A list, where `null` and the empty string count as absent.
fn optional<'de, T, L, D>(from: D) -> Result<Option<L>, D::Error>
where
    T: Deserialize<'de>,
    L: FromIterator<T>,
    D: Deserializer<'de>,
{
    from.deserialize_any(ListVisitor::<T, L>(PhantomData))
}

impl<'de, T: Deserialize<'de>, L: FromIterator<T>> Visitor<'de> for ListVisitor<T, L> {
    type Value = Option<L>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text.is_empty() {
            Ok(None)
        } else {
            Err(E::invalid_type(Unexpected::Str(text), &self))
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let elements = iter::from_fn(|| from.next_element::<T>().transpose());
        elements.collect::<Result<L, A::Error>>().map(Some)
    }
}

impl<T, const MAX: usize> FromIterator<T> for First<T, MAX> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut first = Vec::new();
        for element in elements {
            if first.len() <= MAX {
                first.push(element);
            }
        }
        Self(first)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(from)?;
        read(text.get().as_bytes())
            .map(Self)
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;

    use super::super::{Notify, NotifyBatch, RegisterSubscription};
    use crate::notification::NotificationActions;
    use crate::{AudienceFilter, ErrorCode, RegistrationFault, Tag, TagsChange};

    fn read<T: DeserializeOwned>(json: &str) -> Result<T, ErrorCode> {
        crate::wire::read(json.as_bytes())
    }

    /// So many elements, without what is around a list.
    fn elements(count: usize, element: impl Fn(usize) -> String) -> String {
        (0..count).map(element).collect::<Vec<_>>().join(",")
    }

    fn text(number: usize) -> String {
        format!("\"t{number}\"")
    }

    fn registration(tags: &str) -> Result<RegisterSubscription, ErrorCode> {
        read(&format!(r#"{{"tags":[{tags}]}}"#))
    }

    #[test]
    fn tags_are_kept_once_each_and_to_the_first_that_is_too_many() {
        let again_and_again = elements(200_000, |number| text(number % 50));
        let most = registration(&again_and_again).expect("a registration");
        let change = most.profile_change(false).expect("50 tags");
        assert!(matches!(change.tags, TagsChange::Replace(tags) if tags.iter().count() == 50));
        let nothing = |_: usize| "\"\"".to_owned();
        for wrong in [
            elements(51, text),
            elements(200_000, text),
            elements(300_000, nothing),
        ] {
            let request = registration(&wrong).expect("a registration");
            let kept = request.tags.as_ref().map(Vec::capacity);
            assert!(kept <= Some(2 * Tag::MAX_PER_SUBSCRIPTION), "{kept:?}");
            let refused = request.profile_change(false).err();
            assert_eq!(refused, Some(RegistrationFault::Tags));
        }
        let another_type = format!("{},1", elements(200, text));
        let refused = registration(&another_type).err();
        assert_eq!(refused, Some(ErrorCode::InvalidInput));
    }

    #[test]
    fn endpoints_are_kept_to_the_first_that_is_too_many() {
        let endpoints = elements(100_000, text);
        let batch = read(&format!(r#"{{"endpoints":[{endpoints}],"payload":{{}}}}"#));
        let batch: NotifyBatch = batch.expect("a batch");
        let kept = batch.endpoints.as_ref().map(Vec::len);
        assert_eq!(kept, Some(NotifyBatch::MAX_ENDPOINTS + 1));
        let refused = batch.into_parts().err();
        assert_eq!(refused, Some(ErrorCode::TooManyEndpoints));
    }

    #[test]
    fn users_are_kept_to_the_first_that_is_too_many() {
        let filter = |count: usize| {
            let users = elements(count, text);
            let notify: Notify = read(&format!(r#"{{"to":{{"user_ids":[{users}]}}}}"#))?;
            let kept = notify.to.as_ref().and_then(|to| to.user_ids.as_ref());
            assert_eq!(kept.map(Vec::len), Some(count.min(1_001)));
            notify.filter()
        };
        assert!(filter(AudienceFilter::MAX_USERS).is_ok());
        for count in [AudienceFilter::MAX_USERS + 1, 100_000] {
            assert_eq!(filter(count).err(), Some(ErrorCode::InvalidInput));
        }
    }

    #[test]
    fn buttons_are_kept_to_the_first_that_is_too_many() {
        let button = |number: usize| format!(r#"{{"action":"{number}","title":"t"}}"#);
        let sent = |count: usize| {
            let actions = elements(count, button);
            let json = format!(r#"{{"title":"t","body":"b","actions":[{actions}]}}"#);
            let notify: Notify = read(&json)?;
            let kept = notify.actions.as_ref().map(Vec::len);
            assert_eq!(kept, Some(count.min(NotificationActions::MAX + 1)));
            notify.into_notification()
        };
        assert!(sent(NotificationActions::MAX).is_ok());
        for count in [NotificationActions::MAX + 1, 10_000] {
            assert_eq!(sent(count).err(), Some(ErrorCode::InvalidInput));
        }
    }
}
