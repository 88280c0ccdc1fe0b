//! What was sent, newest first (SPEC 4.11).

use hato_domain::PageRequest;
use hato_domain::wire::Page;

use crate::access::MayManage;
use crate::paging::paged;
use crate::ports::{SendRecord, SendStatus};
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
}
