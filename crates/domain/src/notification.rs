//! What a sender supplies and a browser shows (SPEC 2.4).

use serde::Serialize;

use crate::{ErrorCode, HttpsUrl};

/// The content of a notification, whose payload is within the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    title: String,
    body: String,
    url: Option<HttpsUrl>,
    icon: Option<HttpsUrl>,
    badge: Option<HttpsUrl>,
    payload: String,
}

/// The message that reaches the browser: the members given and nothing else (CONTRACT 7).
#[derive(Serialize)]
struct NotificationPayload<'a> {
    title: &'a str,
    body: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    badge: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

/// The links of a notification, each optional.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The link that a click opens.
    pub url: Option<HttpsUrl>,
    /// The picture beside the text.
    pub icon: Option<HttpsUrl>,
    /// The small monochrome picture for where there is little room, such as a status bar.
    pub badge: Option<HttpsUrl>,
}

impl Notification {
    /// Most bytes of the payload: title, body, url, icon and badge encoded as JSON (SPEC 8).
    pub const MAX_PAYLOAD_BYTES: usize = 3_072;

    /// Encodes the payload; one of over 3,072 bytes is `PAYLOAD_TOO_LARGE` (SPEC 8).
    pub fn new(title: String, body: String, links: Links) -> Result<Self, ErrorCode> {
        let Links { url, icon, badge } = links;
        let message = NotificationPayload {
            title: &title,
            body: &body,
            icon: icon.as_ref().map(HttpsUrl::as_str),
            badge: badge.as_ref().map(HttpsUrl::as_str),
            url: url.as_ref().map(HttpsUrl::as_str),
        };
        let payload = serde_json::to_string(&message).map_err(|_| ErrorCode::InternalError)?;
        if payload.len() > Self::MAX_PAYLOAD_BYTES {
            return Err(ErrorCode::PayloadTooLarge);
        }
        Ok(Self {
            title,
            body,
            url,
            icon,
            badge,
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

    /// The picture beside the text.
    pub fn icon(&self) -> Option<&HttpsUrl> {
        self.icon.as_ref()
    }

    /// The small monochrome picture for where there is little room, such as a status bar.
    pub fn badge(&self) -> Option<&HttpsUrl> {
        self.badge.as_ref()
    }

    /// The plaintext of the push that the service worker reads: a compact JSON object, at most 3,072 bytes (CONTRACT
    /// 7).
    pub fn payload(&self) -> &str {
        &self.payload
    }
}

#[cfg(test)]
mod tests {
    use super::{Links, Notification};
    use crate::{ErrorCode, HttpsUrl};

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
    fn the_limit_is_exact_to_the_byte() {
        let sized = |bytes: usize| {
            let frame = r#"{"title":"t","body":""}"#.len();
            Notification::new("t".into(), "x".repeat(bytes - frame), Links::default())
        };
        assert_eq!(sized(3_072).expect("fits").payload().len(), 3_072);
        assert_eq!(sized(3_073), Err(ErrorCode::PayloadTooLarge));
    }
}
