//! What was sent, newest first (SPEC 4.11).

use hato_domain::wire::Page;
use hato_domain::{ErrorCode, PageRequest};

use crate::access::MayManage;
use crate::paging::paged;
use crate::ports::{SendFilter, SendPage, SendRecord, SendStatus};
use crate::{Service, ServiceResult};

impl Service {
    /// A page of the app's sends, or of those with one status, with the cursor of the next one.
    pub async fn history(
        &self,
        access: &MayManage,
        page: &PageRequest,
        status: Option<SendStatus>,
    ) -> ServiceResult<Page<SendRecord>> {
        let sends = self.store.sends_of(access.app(), page, status).await?;
        Ok(paged(sends, page, |send| {
            (send.created_at, send.id.to_string())
        }))
    }

    /// A page of the app's sends that `filter` lets through. A search that gets no permit, because the account has other heavy reads under
    /// way, is cut short.
    pub async fn search_history(
        &self,
        access: &MayManage,
        filter: &SendFilter,
        page: &PageRequest,
    ) -> ServiceResult<SendPage> {
        if !filter.is_heavy() {
            return Ok(self.history(access, page, filter.status).await?.into());
        }
        match self.heavy_reads.permit(access.account()).await {
            Some(_permit) => Ok(self.store.search_sends(access.app(), filter, page).await?),
            None => Ok(SendPage::unscanned()),
        }
    }

    /// The same for who reads page after page until the last one: `OVERLOADED` where nothing could be looked at.
    pub async fn searched_history(
        &self,
        access: &MayManage,
        filter: &SendFilter,
        page: &PageRequest,
    ) -> ServiceResult<SendPage> {
        let found = self.search_history(access, filter, page).await?;
        if found.is_cut_short && found.next.is_none() {
            return Err(ErrorCode::Overloaded.into());
        }
        Ok(found)
    }
}
