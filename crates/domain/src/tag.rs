//! What a subscription cares for: tags that the visitor or the site's owner sets (CONTRACT 12).

use crate::ErrorCode;

/// A tag: 1 to 64 of `A-Z a-z 0-9 _ . : -`, case-sensitive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(String);

impl Tag {
    /// Most characters of a tag.
    pub const MAX_BYTES: usize = 64;
    /// Most tags of a subscription.
    pub const MAX_PER_SUBSCRIPTION: usize = 50;

    /// Reads a tag; anything else is `INVALID_INPUT`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let has_length = (1..=Self::MAX_BYTES).contains(&text.len());
        if has_length && text.bytes().all(Self::may_contain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }

    /// Whether a tag may have this character.
    pub(crate) const fn may_contain(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-')
    }

    /// A tag that was read before, such as one from the database.
    pub fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The tag as it was set.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether only the site's owner sets and removes it: it begins with `_`.
    pub fn is_owners(&self) -> bool {
        self.0.starts_with('_')
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn a_tag_has_1_to_64_plain_characters() {
        let (longest, longer) = ("t".repeat(64), "t".repeat(65));
        for good in ["a", "_plan:pro", "lang:ja", "Az09_.:-", &longest] {
            assert!(Tag::parse(good).is_ok(), "{good}");
        }
        for bad in ["", " a", "a b", "a\n", "タグ", "а", "a&b", "!a", &longer] {
            assert!(Tag::parse(bad).is_err(), "{bad}");
        }
        assert!(Tag::trusted("_vip").is_owners() && !Tag::trusted("vip_").is_owners());
    }
}
