//! Settling in groups: here the writer commits settlements together with everything else that waits.

use hato_service::ports::{SettleOutcome, StoreError};

use crate::Database;
use crate::settled_page::PageSettlement;
use crate::settlement::settle;
use crate::transaction::transaction;

/// Settles the page in a transaction, which the writer commits together with others that wait.
pub(crate) async fn settle_in_group(
    database: &Database,
    page: PageSettlement,
) -> Result<SettleOutcome, StoreError> {
    let settled = transaction!(database, "settle a page", |c| settle(c, &[page]).await);
    settled.map(|outcomes| outcomes[0])
}
