//! How optional members of a request are read.

use serde::{Deserialize, Deserializer, de::Error};

/// A string, where `null` and the empty string count as absent.
pub fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|text| !text.is_empty()))
}

/// A string that is never ignored once it is present: `null` is an error and the empty string stays.
pub fn present_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    String::deserialize(from).map(Some)
}

/// An integer, where `null` and the empty string count as absent.
pub fn integer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Member {
        Integer(i64),
        Text(String),
    }
    match Option::<Member>::deserialize(from)? {
        None => Ok(None),
        Some(Member::Integer(number)) => Ok(Some(number)),
        Some(Member::Text(text)) if text.is_empty() => Ok(None),
        Some(Member::Text(_)) => Err(D::Error::custom("expected an integer")),
    }
}
