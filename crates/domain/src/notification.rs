//! What a sender supplies and a browser shows (SPEC 2.4).

mod action;
mod declarative;
mod form;
mod members;

use serde::Serialize;

pub use self::action::{NotificationAction, NotificationActions};
pub use self::form::{MAX_TOKEN_BYTES, MessageForm, MessageForms};
pub use self::members::{
    AppBadge, EventTime, NotificationData, NotificationTag, RichMembers, TextDirection,
};
use crate::{ErrorCode, HttpsUrl, MessageSettings, Tracking};

/// The content of a notification, whose payload is within the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    title: String,
    body: String,
    url: Option<HttpsUrl>,
    payload: String,
}

/// The message that reaches the browser: the members given and nothing else (CONTRACT 7).
#[derive(Serialize)]
struct NotificationPayload<'a> {
    title: &'a str,
    body: &'a str,
    #[serde(flatten)]
    links: &'a Links,
    #[serde(flatten)]
    rich: &'a RichMembers,
}

/// The links of a notification, each optional, in the payload's order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Links {
    /// The picture beside the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<HttpsUrl>,
    /// The small monochrome picture for where there is little room, such as a status bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<HttpsUrl>,
    /// The link that a click opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<HttpsUrl>,
}

impl Notification {
    /// Most bytes of title, body, url, icon and badge encoded as JSON (SPEC 8).
    pub const MAX_PAYLOAD_BYTES: usize = 3_072;

    /// Most bytes of the whole message: what is left of a record of 4,096 bytes (CONTRACT 13).
    pub const MAX_MESSAGE_BYTES: usize = 3_993;

    /// Encodes a payload without rich members; one of over 3,072 bytes is `PAYLOAD_TOO_LARGE` (SPEC 8).
    pub fn new(title: String, body: String, links: Links) -> Result<Self, ErrorCode> {
        Self::with_members(title, body, links, &RichMembers::default())
    }

    /// Encodes the payload with its rich members: `INVALID_INPUT` for members that do not go together, `PAYLOAD_TOO_LARGE` when the
    /// members of [`Notification::new`] have over 3,072 bytes, or all together over 3,993 (CONTRACT 13).
    pub fn with_members(
        title: String,
        body: String,
        links: Links,
        rich: &RichMembers,
    ) -> Result<Self, ErrorCode> {
        rich.check()?;
        let encode = |rich| {
            let message = NotificationPayload {
                title: &title,
                body: &body,
                links: &links,
                rich,
            };
            serde_json::to_string(&message).map_err(|_| ErrorCode::InternalError)
        };
        let none = RichMembers::default();
        let mut payload = encode(&none)?;
        if payload.len() > Self::MAX_PAYLOAD_BYTES {
            return Err(ErrorCode::PayloadTooLarge);
        }
        if !rich.is_empty() {
            payload = encode(rich)?;
        }
        if payload.len() > Self::MAX_MESSAGE_BYTES {
            return Err(ErrorCode::PayloadTooLarge);
        }
        Ok(Self {
            title,
            body,
            url: links.url,
            payload,
        })
    }

    /// The title, the first line of the notification.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The text below the title.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The link that a click opens.
    pub fn url(&self) -> Option<&HttpsUrl> {
        self.url.as_ref()
    }

    /// Whether push services take it in every form in which it would go out by the app's settings; `PAYLOAD_TOO_LARGE` otherwise
    /// (CONTRACT 13).
    pub fn check_forms(&self, settings: &MessageSettings) -> Result<(), ErrorCode> {
        let has_one_form = !settings.declarative && settings.tracking == Tracking::Off;
        if has_one_form || MessageForms::new(&self.payload, settings).fit() {
            Ok(())
        } else {
            Err(ErrorCode::PayloadTooLarge)
        }
    }

    /// The plaintext of the push that the service worker reads: a compact JSON object, at most 3,993 bytes
    /// (CONTRACT 7, 13).
    pub fn payload(&self) -> &str {
        &self.payload
    }
}

#[cfg(test)]
mod tests {
    use super::{
        AppBadge, EventTime, Links, MAX_TOKEN_BYTES, Notification, NotificationAction,
        NotificationActions, NotificationData, NotificationTag, RichMembers, TextDirection,
    };
    use crate::{ErrorCode, HttpsUrl, LanguageTag, MessageSettings, SiteUrl, Tracking};

    fn link(text: &str) -> Option<HttpsUrl> {
        HttpsUrl::parse(text).ok()
    }

    #[test]
    fn the_payload_holds_the_members_given() {
        let url = HttpsUrl::parse("https://example.com/").expect("a link");
        let links = Links {
            url: Some(url),
            ..Links::default()
        };
        let notification = Notification::new("題".into(), "\"本文\"".into(), links).expect("small");
        assert_eq!(
            notification.payload(),
            r#"{"title":"題","body":"\"本文\"","url":"https://example.com/"}"#
        );
    }

    #[test]
    fn rich_members_follow_under_their_names() {
        let action =
            NotificationAction::new("go".into(), "Go".into(), link("https://a.example/g"), None);
        let actions = NotificationActions::new(vec![action.expect("a button")]);
        let rich = RichMembers {
            image: link("https://a.example/p.png"),
            actions: actions.ok(),
            tag: NotificationTag::parse("news".into()).ok(),
            renotify: Some(true),
            require_interaction: Some(false),
            silent: Some(false),
            data: NotificationData::parse(r#"{"k":1}"#).ok(),
            dir: Some(TextDirection::RightToLeft),
            lang: LanguageTag::parse("ja-JP").ok(),
            timestamp: EventTime::parse(1).ok(),
            app_badge: AppBadge::parse(0).ok(),
        };
        let sent = Notification::with_members("t".into(), "b".into(), Links::default(), &rich);
        assert_eq!(
            sent.expect("small").payload(),
            concat!(
                r#"{"title":"t","body":"b","image":"https://a.example/p.png","#,
                r#""actions":[{"action":"go","title":"Go","url":"https://a.example/g"}],"tag":"news","#,
                r#""renotify":true,"require_interaction":false,"silent":false,"data":{"k":1},"dir":"rtl","#,
                r#""lang":"ja-JP","timestamp":1,"app_badge":0}"#
            )
        );
    }

    #[test]
    fn the_whole_message_has_a_limit_of_its_own() {
        let sized = |bytes: usize, settings: &MessageSettings| {
            let image = |length: usize| format!("https://a.example/{}", "x".repeat(length));
            let frame = format!(r#"{{"title":"t","body":"","image":"{}"}}"#, image(900)).len();
            let rich = RichMembers {
                image: link(&image(900)),
                ..RichMembers::default()
            };
            let body = "x".repeat(bytes - frame);
            let sent = Notification::with_members("t".into(), body, Links::default(), &rich)?;
            sent.check_forms(settings)?;
            Ok(sent.payload().len())
        };
        let off = MessageSettings::default();
        assert_eq!(sized(3_993, &off), Ok(3_993));
        assert_eq!(sized(3_994, &off), Err(ErrorCode::PayloadTooLarge));
        let counted = MessageSettings {
            tracking: Tracking::Counts,
            ..off
        };
        let most = 3_993 - MAX_TOKEN_BYTES - r#","t":"""#.len();
        assert_eq!(sized(most, &counted), Ok(most));
        assert_eq!(sized(most + 1, &counted), Err(ErrorCode::PayloadTooLarge));
    }

    #[test]
    fn a_declarative_form_that_is_too_large_refuses_the_message() {
        let site_url = SiteUrl::parse(&format!("https://a.example/{}", "x".repeat(1_500))).ok();
        let settings = |declarative| MessageSettings {
            site_url: site_url.clone(),
            declarative,
            tracking: Tracking::Off,
        };
        let sent = Notification::new("t".into(), "x".repeat(3_000), Links::default());
        let sent = sent.expect("small");
        assert_eq!(sent.check_forms(&settings(false)), Ok(()));
        let refused = sent.check_forms(&settings(true));
        assert_eq!(refused, Err(ErrorCode::PayloadTooLarge));
    }

    #[test]
    fn the_limit_is_exact_to_the_byte() {
        let sized = |bytes: usize| {
            let frame = r#"{"title":"t","body":""}"#.len();
            Notification::new("t".into(), "x".repeat(bytes - frame), Links::default())
        };
        assert_eq!(sized(3_072).expect("fits").payload().len(), 3_072);
        assert_eq!(sized(3_073), Err(ErrorCode::PayloadTooLarge));
    }
}
