//! Deliveries that finally failed, newest first (CONTRACT 4).

use hato_domain::wire::Page;
use hato_domain::{DeadLetterId, PageRequest};

use crate::access::MayManage;
use crate::paging::paged;
use crate::ports::DeadLetterRecord;
use crate::{Service, ServiceResult};

impl Service {
    /// A page of the app's dead letters, with the cursor of the next one; `INVALID_INPUT` for a cursor that is none.
    pub async fn dead_letters(
        &self,
        access: &MayManage,
        page: &PageRequest,
    ) -> ServiceResult<Page<DeadLetterRecord>> {
        let cursor = page.cursor.as_ref();
        let before = cursor.and_then(|cursor| cursor.before_id.as_deref());
        let before = before.map(DeadLetterId::parse).transpose()?;
        let letters = self
            .store
            .dead_letters_of(access.app(), page, before)
            .await?;
        Ok(paged(letters, page, |letter| {
            (letter.created_at, letter.id.to_string())
        }))
    }
}
