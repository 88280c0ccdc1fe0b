//! What a notification has beyond title, body and links (CONTRACT 13).

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::action::NotificationActions;
use crate::compact_json::min_compact_len;
use crate::{ErrorCode, HttpsUrl, LanguageTag, text_enum};

/// The rich members of a notification, each optional, in the payload's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RichMembers {
    /// The large picture below the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<HttpsUrl>,
    /// The buttons below the text, each with a title and where it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<NotificationActions>,
    /// The name under which a newer notification takes this one's place on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<NotificationTag>,
    /// Whether the device rings again when it takes another one's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renotify: Option<bool>,
    /// Whether it stays until somebody does something with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_interaction: Option<bool>,
    /// Whether it comes without sound and vibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<bool>,
    /// What the site's own scripts find in the notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<NotificationData>,
    /// In which direction its texts are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<TextDirection>,
    /// The language of its texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<LanguageTag>,
    /// When what it tells of happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<EventTime>,
    /// The number on the app's icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_badge: Option<AppBadge>,
}

impl RichMembers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses what browsers refuse to show: ringing again without a tag, or silently (`INVALID_INPUT`).
    pub(super) fn check(&self) -> Result<(), ErrorCode> {
        let rings_again = self.renotify == Some(true);
        if rings_again && (self.tag.is_none() || self.silent == Some(true)) {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(())
    }
}

text_enum!(
    /// In which direction a notification's texts are written.
    TextDirection or ErrorCode::InvalidInput {
        /// As its first letters say.
        Auto = "auto",
        /// From left to right.
        LeftToRight = "ltr",
        /// From right to left.
        RightToLeft = "rtl",
    }
);

impl Serialize for TextDirection {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// The name under which a newer notification takes another one's place: 1 to 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NotificationTag(String);

impl NotificationTag {
    /// Most characters of it.
    pub const MAX_CHARS: usize = 64;

    /// Reads it as it is; `INVALID_INPUT` when it is empty or too long.
    pub fn parse(text: String) -> Result<Self, ErrorCode> {
        if (1..=Self::MAX_CHARS).contains(&text.chars().count()) {
            Ok(Self(text))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }
}

/// What a notification carries for the site's own scripts: an object of at most 1,024 bytes as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NotificationData(Value);

impl NotificationData {
    /// Most bytes of it as compact JSON.
    pub const MAX_BYTES: usize = 1_024;

    /// The object of this JSON text; `INVALID_INPUT` for anything else, and for one that is too large.
    pub fn parse(json: &str) -> Result<Self, ErrorCode> {
        // A tree may take a hundred times as much memory as its text.
        if min_compact_len(json) > Self::MAX_BYTES {
            return Err(ErrorCode::InvalidInput);
        }
        let value: Value = serde_json::from_str(json).map_err(|_| ErrorCode::InvalidInput)?;
        if !value.is_object() || value.to_string().len() > Self::MAX_BYTES {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(Self(value))
    }
}

/// When what a notification tells of happened, Unix milliseconds: a time that browsers can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct EventTime(i64);

impl EventTime {
    /// The last moment of JavaScript's `Date` (ECMA-262 §21.4.1.1).
    pub const MAX: i64 = 8_640_000_000_000_000;

    /// This moment, from 1970 on; `INVALID_INPUT` for another.
    pub fn parse(milliseconds: i64) -> Result<Self, ErrorCode> {
        if (0..=Self::MAX).contains(&milliseconds) {
            Ok(Self(milliseconds))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }
}

/// The number on the app's icon; 0 takes it away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AppBadge(u32);

impl AppBadge {
    /// The largest number that an icon may show (CONTRACT 13).
    pub const MAX: u32 = 999_999;

    /// This number; `INVALID_INPUT` for one that is negative or too large.
    pub fn parse(number: i64) -> Result<Self, ErrorCode> {
        let number = u32::try_from(number).map_err(|_| ErrorCode::InvalidInput)?;
        if number <= Self::MAX {
            Ok(Self(number))
        } else {
            Err(ErrorCode::InvalidInput)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AppBadge, EventTime, NotificationData, NotificationTag, RichMembers};
    use crate::ErrorCode;

    #[test]
    fn each_member_has_its_bounds() {
        let tag = |chars| NotificationTag::parse("鳩".repeat(chars)).is_ok();
        assert_eq!([0, 1, 64, 65].map(tag), [false, true, true, false]);
        let badge = |number| AppBadge::parse(number).is_ok();
        let badges = [-1, 0, 999_999, 1_000_000, i64::MAX].map(badge);
        assert_eq!(badges, [false, true, true, false, false]);
        let time = |milliseconds| EventTime::parse(milliseconds).is_ok();
        let times = [-1, 0, EventTime::MAX, EventTime::MAX + 1].map(time);
        assert_eq!(times, [false, true, true, false]);
    }

    #[test]
    fn data_is_an_object_of_at_most_1024_bytes() {
        let data = |json: &str| NotificationData::parse(json).is_ok();
        let sized =
            |bytes: usize| format!(r#"{{"d":"{}"}}"#, "x".repeat(bytes - r#"{"d":""}"#.len()));
        assert!(data("{}") && data(&sized(1_024)));
        for wrong in [&sized(1_025), "[]", r#""x""#, "1", "null", "{", ""] {
            assert!(!data(wrong), "{wrong}");
        }
    }

    #[test]
    fn data_is_as_long_as_its_compact_text() {
        let data = |json: &str| NotificationData::parse(json).is_ok();
        let blanks = " ".repeat(2_000);
        assert!(data(&format!(r#"{{{blanks}"d":{blanks}1}}"#)));
        let zeros = "0".repeat(2_000);
        assert!(data(&format!(r#"{{"d":1.{zeros}}}"#)));
        let text = |letter: &str, count| format!(r#"{{"d":"{}"}}"#, letter.repeat(count));
        assert!(data(&text(r"\u0041", 1_016)) && !data(&text(r"\u0041", 1_017)));
        assert!(data(&text(r"\u0000", 169)) && !data(&text(r"\u0000", 170)));
    }

    #[test]
    fn what_rings_again_has_a_tag_and_is_not_silent() {
        let tag = NotificationTag::parse("news".into()).ok();
        let members = |renotify, tag: &Option<NotificationTag>, silent| RichMembers {
            renotify,
            tag: tag.clone(),
            silent,
            ..RichMembers::default()
        };
        for (members, good) in [
            (members(Some(true), &tag, None), true),
            (members(Some(true), &tag, Some(false)), true),
            (members(Some(false), &None, Some(true)), true),
            (members(Some(true), &None, None), false),
            (members(Some(true), &tag, Some(true)), false),
        ] {
            let expected = if good {
                Ok(())
            } else {
                Err(ErrorCode::InvalidInput)
            };
            assert_eq!(members.check(), expected, "{members:?}");
        }
    }
}
