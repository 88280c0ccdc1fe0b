//! The forms in which a page's message goes out, each made once (CONTRACT 13). Where the app counts, each has a place for the recipient's
//! token (CONTRACT 15).

use std::sync::OnceLock;

use bytes::Bytes;
use hato_domain::notification::MessageForm;
use hato_service::SendTokens;
use hato_service::ports::{ClaimedPage, RecipientId};

use crate::push::origin::Origin;

/// A page's message as each push service gets it.
pub struct PageForms<'a> {
    page: &'a ClaimedPage,
    tokens: Option<&'a SendTokens>,
    /// The payload as it was accepted, without a token.
    payload: Bytes,
    /// The payload with a place for a token, which it may have no room for: then it was accepted before the app counted.
    counted: Option<MessageForm>,
    /// Made when the page meets Apple's push service; `None` where that gets the plain form too.
    declarative: OnceLock<Option<MessageForm>>,
}

impl<'a> PageForms<'a> {
    /// The forms of the page's message, with the tokens of its recipients if the app counts.
    pub fn new(page: &'a ClaimedPage, tokens: Option<&'a SendTokens>) -> Self {
        let counted = tokens.map(|_| MessageForm::plain(&page.payload, true));
        Self {
            page,
            tokens,
            payload: Bytes::copy_from_slice(page.payload.as_bytes()),
            counted: counted.filter(MessageForm::fits),
            declarative: OnceLock::new(),
        }
    }

    /// The message as it goes to this recipient, at the push service at `origin`.
    pub fn message_to(&self, recipient: RecipientId, origin: &Origin) -> Bytes {
        let declarative = if origin.is_apple() {
            let made = self.declarative.get_or_init(|| self.declarative());
            made.as_ref()
        } else {
            None
        };
        let form = declarative.or(self.counted.as_ref());
        let message = form.and_then(|form| self.filled(form, recipient));
        message.unwrap_or_else(|| self.payload.clone())
    }

    fn filled(&self, form: &MessageForm, recipient: RecipientId) -> Option<Bytes> {
        if let Some(text) = form.shared() {
            return Some(Bytes::copy_from_slice(text.as_bytes()));
        }
        let token = self.tokens?.token(recipient)?;
        Some(form.with_token(&token).into())
    }

    /// The declarative form, if the app has it on. One that became too large, because the app has another site since the send was
    /// accepted, goes out plain, and one that has no room for a token without it.
    fn declarative(&self) -> Option<MessageForm> {
        let settings = &self.page.messages;
        let site_url = settings.site_url.as_ref();
        let site_url = site_url.filter(|_| settings.declarative)?;
        let form = |has_token| {
            let form = MessageForm::declarative(&self.page.payload, site_url, has_token);
            form.filter(MessageForm::fits)
        };
        form(self.tokens.is_some()).or_else(|| form(false))
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::notification::MAX_TOKEN_BYTES;
    use hato_service::TOKEN_LENGTH;

    #[test]
    fn messages_have_room_for_a_token() {
        assert_eq!(TOKEN_LENGTH, MAX_TOKEN_BYTES);
    }
}
