//! A page that is being settled, and what became of it.

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::{ClaimedPage, NewDeadLetter, PageLease, PageRange, Settlement};

/// What settling needs to know of a page.
#[derive(Clone)]
pub(crate) struct SettledPage {
    pub(crate) lease: PageLease,
    pub(crate) send_id: SendId,
    pub(crate) app_id: AppId,
    pub(crate) attempt: u8,
    pub(crate) accepted_at: UnixMillis,
    /// Whoever has a higher position subscribed again after the page was made.
    pub(crate) up_to: i64,
}

impl SettledPage {
    pub(crate) fn from_claimed(page: &ClaimedPage) -> Self {
        let up_to = match &page.range {
            PageRange::Positions { up_to, .. } => *up_to,
            PageRange::List(_) => i64::MAX,
            PageRange::Selected(positions) => positions.last().copied().unwrap_or(i64::MAX),
        };
        Self {
            lease: page.lease,
            send_id: page.send_id.clone(),
            app_id: page.app_id.clone(),
            attempt: page.attempt,
            accepted_at: page.accepted_at,
            up_to,
        }
    }
}

/// A page with what became of it, as it is recorded.
#[derive(Clone)]
pub(crate) struct PageSettlement {
    pub(crate) page: SettledPage,
    pub(crate) settlement: Settlement,
    pub(crate) now: UnixMillis,
}

impl PageSettlement {
    /// Whether a subscription may become inactive by it.
    pub(crate) fn may_deactivate(&self) -> bool {
        let is_refusal = |it: &NewDeadLetter| it.is_refusal();
        !self.settlement.expired.is_empty() || self.settlement.dead_letters.iter().any(is_refusal)
    }
}
