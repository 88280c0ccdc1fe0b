//! Deliveries that finally failed, newest first (CONTRACT 4).

use hato_domain::wire::Page;
use hato_domain::{DeadLetterId, PageRequest, SendId};

use crate::access::MayManage;
use crate::paging::paged;
use crate::ports::DeadLetterRecord;
use crate::{Service, ServiceResult};

impl Service {
    /// A page of the dead letters of the app, or of one of its sends, with the cursor of the next one; `INVALID_INPUT` for a cursor that is
    /// none.
    pub async fn dead_letters(
        &self,
        access: &MayManage,
        send: Option<&SendId>,
        page: &PageRequest,
    ) -> ServiceResult<Page<DeadLetterRecord>> {
        let cursor = page.cursor.as_ref();
        let before = cursor.and_then(|cursor| cursor.before_id.as_deref());
        let before = before.map(DeadLetterId::parse).transpose()?;
        let letters = self
            .store
            .dead_letters_of(access.app(), send, page, before)
            .await?;
        Ok(paged(letters, page, |letter| {
            (letter.created_at, letter.id.to_string())
        }))
    }
}
