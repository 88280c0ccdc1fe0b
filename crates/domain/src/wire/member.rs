//! How optional members of a request are read.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::body::read;
use super::unique_members::has_unique_members;
use crate::FieldChange;
use crate::compact_json::min_compact_len;

/// A string, where `null` and the empty string count as absent.
pub fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|text| !text.is_empty()))
}

/// A string that is never ignored once it is present: `null` is an error and the empty string stays.
pub fn present_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    String::deserialize(from).map(Some)
}

/// A value that is never ignored once it is present: `null` and another type, such as an empty string, are errors.
pub fn present<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(from).map(Some)
}

/// An object that is never ignored once it is present: `null` and anything else that is no object are errors.
pub fn present_object<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let text = Box::<RawValue>::deserialize(from)?;
    read(text.get().as_bytes())
        .map(Some)
        .map_err(D::Error::custom)
}

/// A member that a request must not have, whatever its value.
#[derive(Debug, Default)]
pub struct ForbiddenMember;

impl<'de> Deserialize<'de> for ForbiddenMember {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("this member does not belong here"))
    }
}

/// What a request says of a member that must be present, and that `null` or the empty string clears (CONTRACT 2).
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// The request does not have the member.
    #[default]
    Absent,
    /// The member is `null` or the empty string: the value is to be cleared.
    Clear,
    /// The value is to be this one.
    Set(String),
}

impl Change {
    /// What becomes of the value.
    pub fn into_field(self) -> FieldChange<String> {
        match self {
            Self::Absent => FieldChange::Keep,
            Self::Clear => FieldChange::Clear,
            Self::Set(text) => FieldChange::Set(text),
        }
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(text(from)?.map_or(Self::Clear, Self::Set))
    }
}

/// A string that `null` clears; the empty string counts as absent.
pub fn null_or_text<'de, D: Deserializer<'de>>(from: D) -> Result<Change, D::Error> {
    Ok(match Option::<String>::deserialize(from)? {
        None => Change::Clear,
        Some(text) if text.is_empty() => Change::Absent,
        Some(text) => Change::Set(text),
    })
}

/// A string, or the JSON text of an object; `null` and the empty string count as absent.
pub fn text_or_object<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let json = Option::<Box<RawValue>>::deserialize(from)?;
    match json.as_deref().map(RawValue::get) {
        Some(object) if object.starts_with('{') => Ok(Some(object.to_owned())),
        Some(other) => {
            let text: String = serde_json::from_str(other).map_err(D::Error::custom)?;
            Ok(Some(text).filter(|text| !text.is_empty()))
        }
        None => Ok(None),
    }
}

/// An object, where `null` and the empty string count as absent. What serde would read from a list is no object.
pub fn object<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let text = Option::<Box<RawValue>>::deserialize(from)?;
    match text.as_deref().map(RawValue::get) {
        None | Some("\"\"") => Ok(None),
        Some(text) => read(text.as_bytes()).map(Some).map_err(D::Error::custom),
    }
}

/// The text of an object with any members, none of them twice; `null` and the empty string count as absent. One that cannot be written in
/// `MAX` bytes is only known to be an object: it is refused for its length by whoever knows what it is.
pub fn any_object<'de, const MAX: usize, D>(from: D) -> Result<Option<Box<RawValue>>, D::Error>
where
    D: Deserializer<'de>,
{
    let text = Option::<Box<RawValue>>::deserialize(from)?;
    match text.as_deref().map(RawValue::get) {
        None | Some("\"\"") => Ok(None),
        Some(json) if is_object::<MAX>(json) => Ok(text),
        Some(_) => Err(D::Error::custom(
            "expected an object without repeated members",
        )),
    }
}

fn is_object<const MAX: usize>(json: &str) -> bool {
    json.starts_with('{') && (min_compact_len(json) > MAX || has_unique_members(json.as_bytes()))
}

/// An integer or a boolean, where `null` and the empty string count as absent. Of anything else nothing is kept, nor read beyond its first
/// byte.
pub fn value<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    from.deserialize_any(ValueVisitor(PhantomData))
}

struct ValueVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ValueVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer or a boolean")
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

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;

    use super::super::Notify;

    #[test]
    fn nothing_is_read_of_what_is_no_number() {
        for member in ["ttl", "timestamp", "app_badge", "silent"] {
            let objects = vec![r#"{"":0}"#; 30_000].join(",");
            let body = format!(r#"{{"{member}":[{objects}]}}"#);
            let mut unread = body.as_bytes();
            let mut json = serde_json::Deserializer::from_reader(&mut unread);
            assert!(Notify::deserialize(&mut json).is_err());
            let read = body.len() - unread.len();
            assert!(read < 20, "{read} bytes were read");
        }
    }
}
