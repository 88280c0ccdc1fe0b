//! The forms in which a page's message goes out, each made once (CONTRACT 13).

use std::sync::OnceLock;

use bytes::Bytes;
use hato_domain::notification::MessageForm;
use hato_service::ports::ClaimedPage;

use crate::push::origin::Origin;

/// A page's message as each push service gets it.
pub struct PageForms<'a> {
    page: &'a ClaimedPage,
    plain: Bytes,
    /// Made when the page meets Apple's push service; `None` where that gets the plain form too.
    declarative: OnceLock<Option<Bytes>>,
}

impl<'a> PageForms<'a> {
    /// The forms of the page's message.
    pub fn new(page: &'a ClaimedPage) -> Self {
        Self {
            page,
            plain: Bytes::copy_from_slice(page.payload.as_bytes()),
            declarative: OnceLock::new(),
        }
    }

    /// The message as it goes to the push service at `origin`.
    pub fn for_origin(&self, origin: &Origin) -> Bytes {
        let declarative = if origin.is_apple() {
            let made = self.declarative.get_or_init(|| declarative(self.page));
            made.as_ref()
        } else {
            None
        };
        declarative.unwrap_or(&self.plain).clone()
    }
}

/// The declarative form, if the app has it on. One that became too large, because the app has another site since the send was accepted,
/// goes out plain.
fn declarative(page: &ClaimedPage) -> Option<Bytes> {
    let settings = &page.messages;
    let site_url = settings
        .site_url
        .as_ref()
        .filter(|_| settings.declarative)?;
    let form = MessageForm::declarative(&page.payload, site_url, false)?;
    let text = form.shared().filter(|_| form.fits())?;
    Some(Bytes::copy_from_slice(text.as_bytes()))
}
