//! What a sender supplies and a browser shows (SPEC 2.4).

use serde::Serialize;

use crate::{ErrorCode, HttpsUrl};

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
    /// Most bytes of the payload: title, body, url, icon and badge encoded as JSON (SPEC 8).
    pub const MAX_PAYLOAD_BYTES: usize = 3_072;

    /// Encodes the payload; one of over 3,072 bytes is `PAYLOAD_TOO_LARGE` (SPEC 8).
    pub fn new(title: String, body: String, links: Links) -> Result<Self, ErrorCode> {
        let message = NotificationPayload {
            title: &title,
            body: &body,
            links: &links,
        };
        let payload = serde_json::to_string(&message).map_err(|_| ErrorCode::InternalError)?;
        if payload.len() > Self::MAX_PAYLOAD_BYTES {
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

    /// The plaintext of the push that the service worker reads: a compact JSON object, at most 3,072 bytes
    /// (CONTRACT 7).
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
