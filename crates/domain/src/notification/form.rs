//! The forms in which a notification goes out: as the worker reads it, and for Apple's push service as a declarative message
//! (CONTRACT 13). Either may have places for a token that differs for each recipient (CONTRACT 15).

use super::Notification;
use super::declarative::SentMessage;
use crate::{MessageSettings, SiteUrl, Tracking};

/// Most bytes of a recipient's token, all of which are letters, digits, `-` and `_` (CONTRACT 15).
pub const MAX_TOKEN_BYTES: usize = 40;

/// The query parameter by which the address of a declarative message carries the recipient's token.
const TOKEN_PARAMETER: &str = "hato_t=";

/// A message as it goes out, made once for all recipients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageForm {
    /// The text, cut where a recipient's token belongs.
    parts: Vec<String>,
}

impl MessageForm {
    /// The message as the worker reads it: the payload, and with `has_token` the recipient's token as its last member, `t`.
    pub fn plain(payload: &str, has_token: bool) -> Self {
        let mut form = Self {
            parts: vec![payload.to_owned()],
        };
        if has_token {
            form.parts[0].pop();
            form.close(true);
        }
        form
    }

    /// The declarative message of this payload, which leads to `site_url` where the payload has no url; `None` when the payload is
    /// none of Hato's. With `has_token` the address that it leads to carries the recipient's token, and so does its last member, `t`.
    pub fn declarative(payload: &str, site_url: &SiteUrl, has_token: bool) -> Option<Self> {
        let sent: SentMessage<'_> = serde_json::from_str(payload).ok()?;
        let navigate = sent.url.as_deref().unwrap_or_else(|| site_url.as_str());
        let (title, body) = (json(&sent.title), json(&sent.body));
        let mut form = Self {
            parts: vec![format!(
                r#"{{"web_push":8030,"notification":{{"title":{title},"body":{body},"navigate":"#
            )],
        };
        form.push_address(navigate, has_token);
        form.push(&sent.options(navigate));
        form.push("}");
        if let Some(number) = sent.app_badge {
            form.push(&format!(r#","app_badge":{number}"#));
        }
        form.close(has_token);
        Some(form)
    }

    /// The message, if it is the same for all recipients.
    pub fn shared(&self) -> Option<&str> {
        match &*self.parts {
            [text] => Some(text),
            _ => None,
        }
    }

    /// The message to the recipient with this token, which stands in it as it is.
    pub fn with_token(&self, token: &str) -> String {
        self.parts.join(token)
    }

    /// Its bytes with the longest token.
    pub fn max_bytes(&self) -> usize {
        let text: usize = self.parts.iter().map(String::len).sum();
        text + (self.parts.len() - 1) * MAX_TOKEN_BYTES
    }

    /// Whether a push service takes it (RFC 8291 §4).
    pub fn fits(&self) -> bool {
        self.max_bytes() <= Notification::MAX_MESSAGE_BYTES
    }

    fn push(&mut self, text: &str) {
        if let Some(last) = self.parts.last_mut() {
            last.push_str(text);
        }
    }

    /// Writes an address as a JSON string, with a query parameter for the token before its fragment.
    fn push_address(&mut self, address: &str, has_token: bool) {
        if !has_token {
            return self.push(&json(address));
        }
        // A URL ends before such characters (URL Standard, section 4.4), and the parameter would stand behind them.
        let address = address.trim_end_matches(|it: char| it <= ' ');
        let fragment = address.find('#').unwrap_or(address.len());
        let (address, fragment) = address.split_at(fragment);
        let separator = if address.contains('?') { '&' } else { '?' };
        let before = json(&format!("{address}{separator}{TOKEN_PARAMETER}"));
        let after = json(fragment);
        self.push(before.strip_suffix('"').unwrap_or(&before));
        self.parts
            .push(after.strip_prefix('"').unwrap_or(&after).to_owned());
    }

    /// Writes the end of the message.
    fn close(&mut self, has_token: bool) {
        if has_token {
            self.push(r#","t":""#);
            self.parts.push(r#"""#.to_owned());
        }
        self.push("}");
    }
}

/// The forms in which the messages of an app go out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageForms {
    /// To all push services but those that get `declarative`.
    pub plain: MessageForm,
    /// To Apple's push service, where the app has it on.
    pub declarative: Option<MessageForm>,
}

impl MessageForms {
    /// The forms of this payload by the app's settings.
    pub fn new(payload: &str, settings: &MessageSettings) -> Self {
        let has_token = settings.tracking == Tracking::Counts;
        let site_url = settings.site_url.as_ref().filter(|_| settings.declarative);
        let declarative = |site_url| MessageForm::declarative(payload, site_url, has_token);
        Self {
            plain: MessageForm::plain(payload, has_token),
            declarative: site_url.and_then(declarative),
        }
    }

    /// Whether push services take all of them.
    pub fn fit(&self) -> bool {
        self.plain.fits() && self.declarative.as_ref().is_none_or(MessageForm::fits)
    }
}

/// A text as JSON.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_TOKEN_BYTES, MessageForm, MessageForms};
    use crate::{MessageSettings, Notification, SiteUrl, Tracking};

    const RICH: &str = r##"{"title":"題\"","body":"b","icon":"https://a.example/i.png","url":"https://a.example/?q=\"#top","image":"https://a.example/p.png","actions":[{"action":"buy","title":"Buy","url":"https://a.example/buy"},{"action":"no","title":"No","icon":"https://a.example/n.png"}],"tag":"g","silent":true,"data":{"k":[1,{}]},"dir":"rtl","lang":"ja","app_badge":7}"##;

    fn site() -> SiteUrl {
        SiteUrl::parse("https://shop.example/#start").expect("an address")
    }

    fn declarative(payload: &str, has_token: bool) -> MessageForm {
        MessageForm::declarative(payload, &site(), has_token).expect("a message")
    }

    fn read(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn the_plain_form_is_the_payload_and_ends_with_the_token() {
        assert_eq!(MessageForm::plain(RICH, false).shared(), Some(RICH));
        let form = MessageForm::plain(r#"{"title":"t","data":{}}"#, true);
        assert_eq!(form.shared(), None);
        let expected = r#"{"title":"t","data":{},"t":"abc"}"#;
        assert_eq!(form.with_token("abc"), expected);
        let longest = form.with_token(&"x".repeat(MAX_TOKEN_BYTES));
        assert_eq!(form.max_bytes(), longest.len());
    }

    #[test]
    fn the_declarative_form_has_what_apple_shows_and_nothing_else() {
        let form = declarative(RICH, false);
        let expected = json!({
            "web_push": 8030,
            "notification": {
                "title": "題\"",
                "body": "b",
                "navigate": "https://a.example/?q=\"#top",
                "lang": "ja",
                "dir": "rtl",
                "tag": "g",
                "icon": "https://a.example/i.png",
                "silent": true,
                "data": {"k": [1, {}]},
                "actions": [
                    {"action": "buy", "title": "Buy", "navigate": "https://a.example/buy"},
                    {
                        "action": "no",
                        "title": "No",
                        "navigate": "https://a.example/?q=\"#top",
                        "icon": "https://a.example/n.png",
                    },
                ],
                "app_badge": 7,
            },
            "app_badge": 7,
        });
        assert_eq!(read(form.shared().expect("one text")), expected);
        assert_eq!(form.shared().map(str::len), Some(form.max_bytes()));
    }

    #[test]
    fn without_a_url_it_leads_to_the_site() {
        let form = declarative(r#"{"title":"t","body":"b"}"#, false);
        let expected = r#"{"web_push":8030,"notification":{"title":"t","body":"b","navigate":"https://shop.example/#start"}}"#;
        assert_eq!(form.shared(), Some(expected));
    }

    #[test]
    fn a_token_stands_in_the_query_and_at_the_end() {
        for (payload, navigate) in [
            (RICH, "https://a.example/?q=\"&hato_t=abc#top"),
            (
                r#"{"title":"t","body":"b"}"#,
                "https://shop.example/?hato_t=abc#start",
            ),
            (
                r#"{"title":"t","body":"b","url":"https://a.example/#a?b"}"#,
                "https://a.example/?hato_t=abc#a?b",
            ),
            (
                r#"{"title":"t","body":"b","url":"https://a.example/x "}"#,
                "https://a.example/x?hato_t=abc",
            ),
        ] {
            let form = declarative(payload, true);
            let message = form.with_token("abc");
            assert_eq!(read(&message)["notification"]["navigate"], navigate);
            assert!(message.ends_with(r#","t":"abc"}"#), "{message}");
            let longest = form.with_token(&"x".repeat(MAX_TOKEN_BYTES));
            assert_eq!(form.max_bytes(), longest.len());
        }
    }

    #[test]
    fn the_app_says_which_forms_there_are() {
        let forms = |declarative, tracking| {
            let settings = MessageSettings {
                site_url: Some(site()),
                declarative,
                tracking,
            };
            MessageForms::new(RICH, &settings)
        };
        let plain = forms(false, Tracking::Off);
        assert_eq!(
            (plain.plain.shared(), &plain.declarative),
            (Some(RICH), &None)
        );
        let both = forms(true, Tracking::Off).declarative;
        assert_eq!(both, Some(declarative(RICH, false)));
        let counted = forms(true, Tracking::Counts);
        assert_eq!(counted.plain, MessageForm::plain(RICH, true));
        assert_eq!(counted.declarative, Some(declarative(RICH, true)));
        assert!(counted.fit());
    }

    #[test]
    fn each_form_fits_to_the_byte() {
        type Make = fn(&str) -> MessageForm;
        let forms: [Make; 3] = [
            |payload| MessageForm::plain(payload, false),
            |payload| MessageForm::plain(payload, true),
            |payload| declarative(payload, true),
        ];
        for form in forms {
            let sized = |bytes| {
                form(&format!(
                    r#"{{"title":"t","body":"{}"}}"#,
                    "x".repeat(bytes)
                ))
            };
            let room = Notification::MAX_MESSAGE_BYTES - sized(0).max_bytes();
            assert!(sized(room).fits() && !sized(room + 1).fits());
        }
    }
}
