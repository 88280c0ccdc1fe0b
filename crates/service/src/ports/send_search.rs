//! What a search of the history needs of the store.

use async_trait::async_trait;
use hato_domain::wire::Page;
use hato_domain::{AppId, Cursor, PageRequest, UnixMillis};

use super::{SendRecord, SendStatus, StoreError};

/// What a send must be like to be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendFilter {
    /// Part of the title, the text or the link, in any case of letters; empty is every one.
    pub text: String,
    /// Part of the name of the key or of the address of the account that sent it, in any case of letters; empty is every one.
    pub sender: String,
    /// How far it must be.
    pub status: Option<SendStatus>,
    /// The first moment at which it may have been due, or accepted where it was sent at once.
    pub from: Option<UnixMillis>,
    /// The moment before which it must have been.
    pub until: Option<UnixMillis>,
}

impl SendFilter {
    /// Whether some sends may not be listed.
    pub fn is_search(&self) -> bool {
        *self != Self::default()
    }

    /// Whether many sends may be looked at for a page: those with a status are found by an index.
    pub fn is_heavy(&self) -> bool {
        let by_status = Self {
            status: self.status,
            ..Self::default()
        };
        *self != by_status
    }

    /// Whether a send is listed whose texts are in lower case here.
    pub fn matches(&self, send: &SendRecord) -> bool {
        let url = send.url.as_deref().unwrap_or_default();
        let at = send.schedule.send_at().unwrap_or(send.created_at);
        self.status.is_none_or(|status| status == send.status)
            && self.from.is_none_or(|from| at >= from)
            && self.until.is_none_or(|until| at < until)
            && has_text([&send.actor.name], &self.sender)
            && has_text([&send.title, &send.body, url], &self.text)
    }
}

/// Whether `part`, which is in lower case, is in one of the texts, however they are written.
pub fn has_text<const N: usize>(texts: [&str; N], part: &str) -> bool {
    texts.iter().any(|text| text.to_lowercase().contains(part))
}

/// A page of sends, newest first.
#[derive(Clone, Debug, Default)]
pub struct SendPage {
    /// The sends that were found.
    pub items: Vec<SendRecord>,
    /// Where the next page begins; `None` when all sends were looked at, or none was.
    pub next: Option<Cursor>,
    /// Whether a search stopped before the page was full and before the history ended: it may look at so many sends, and for so long.
    pub is_cut_short: bool,
}

impl SendPage {
    /// The page of a search that looked at nothing.
    pub const fn unscanned() -> Self {
        Self {
            items: Vec::new(),
            next: None,
            is_cut_short: true,
        }
    }
}

impl From<Page<SendRecord>> for SendPage {
    fn from(page: Page<SendRecord>) -> Self {
        let next = page.next_before.map(|before| Cursor {
            before,
            before_id: page.next_before_id,
        });
        Self {
            items: page.items,
            next,
            is_cut_short: false,
        }
    }
}

/// What the store finds in the history.
#[async_trait]
pub trait SendSearchStore {
    /// A page of the app's sends that `filter` lets through, newest first. So many are looked at, and for so long, and no more: a page
    /// may hold few, or none, and still have a next one. One that got no look at all is cut short, empty, and ends.
    async fn search_sends(
        &self,
        app: &AppId,
        filter: &SendFilter,
        page: &PageRequest,
    ) -> Result<SendPage, StoreError>;
}
