//! What a browser says of its user's language and time zone (CONTRACT 12).

use serde::Serialize;

use crate::ErrorCode;

/// A language tag by its form (BCP 47): subtags of letters and digits, the first of two letters or more, or an `x` or `i` before others;
/// at most 35 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct LanguageTag(String);

impl LanguageTag {
    /// Most characters of a tag.
    pub const MAX_BYTES: usize = 35;

    /// Reads a tag as it is; what does not have the form is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let mut subtags = text.split('-');
        let language = subtags.next().unwrap_or_default();
        let is_before_others = matches!(language, "x" | "X" | "i" | "I") && text.contains('-');
        let is_language = is_before_others
            || (2..=8).contains(&language.len())
                && language.bytes().all(|it| it.is_ascii_alphabetic());
        let are_subtags = subtags.all(|subtag| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|it| it.is_ascii_alphanumeric())
        });
        if is_language && are_subtags && text.len() <= Self::MAX_BYTES {
            Ok(Self(text.to_owned()))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }

    /// A tag that was read before, such as one from the database.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The tag as the browser gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a time zone by its form (IANA): parts of letters, digits, `_`, `+` and `-` between slashes, the first beginning with a
/// letter; at most 64 characters. Whether there is such a zone is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZoneName(String);

impl TimeZoneName {
    /// Most characters of a name.
    pub const MAX_BYTES: usize = 64;

    /// Reads a name as it is; what does not have the form is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-');
        let are_parts = text
            .split('/')
            .all(|part| !part.is_empty() && part.bytes().all(is_plain));
        let begins = text.starts_with(|first: char| first.is_ascii_alphabetic());
        if are_parts && begins && text.len() <= Self::MAX_BYTES {
            Ok(Self(text.to_owned()))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }

    /// A name that was read before, such as one from the database.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name as the browser gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{LanguageTag, TimeZoneName};

    #[test]
    fn a_language_has_the_form_of_bcp_47() {
        for good in [
            "ja",
            "en-US",
            "zh-Hant-TW",
            "de-CH-1996",
            "en-x-twain",
            "x-ab",
            "i-klingon",
        ] {
            assert!(LanguageTag::parse(good).is_ok(), "{good}");
        }
        let long = format!("ja{}", "-abcdefgh".repeat(4));
        for bad in [
            "",
            "j",
            "ja_JP",
            "ja-",
            "-ja",
            "1a",
            "x",
            "i-",
            "a-ab",
            "ja-日本",
            &long,
        ] {
            assert!(LanguageTag::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_zone_has_the_form_of_its_names() {
        for good in [
            "Asia/Tokyo",
            "UTC",
            "Etc/GMT+9",
            "America/Port-au-Prince",
            "Not/A_Zone",
        ] {
            assert!(TimeZoneName::parse(good).is_ok(), "{good}");
        }
        let long = "A".repeat(65);
        for bad in [
            "",
            "/Tokyo",
            "Asia/",
            "Asia//Tokyo",
            "+9",
            "Asia/東京",
            "a b",
            &long,
        ] {
            assert!(TimeZoneName::parse(bad).is_err(), "{bad}");
        }
    }
}
