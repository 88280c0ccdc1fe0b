//! What was sent, newest first (SPEC 4.11).

use hato_domain::PageRequest;
use hato_domain::wire::Page;

use crate::access::MayManage;
use crate::ports::SendRecord;
use crate::{Outcome, Service};

impl Service {
    /// A page of the app's sends, with the cursor of the next one.
    pub async fn history(
        &self,
        access: &MayManage,
        page: &PageRequest,
    ) -> Outcome<Page<SendRecord>> {
        let sends = self.store.sends_of(access.app(), page).await?;
        Ok(paged(sends, page, |send| {
            (send.created_at, send.id.to_string())
        }))
    }
}

/// Cuts off the item beyond the limit that says whether another page follows.
fn paged<T>(
    mut items: Vec<T>,
    page: &PageRequest,
    cursor: impl Fn(&T) -> (hato_domain::UnixMillis, String),
) -> Page<T> {
    let limit = usize::try_from(page.limit.get()).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(cursor);
    let (next_before, next_before_id) = next.unzip();
    Page {
        items,
        next_before,
        next_before_id,
    }
}
