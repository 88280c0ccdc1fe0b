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
mod tests;
