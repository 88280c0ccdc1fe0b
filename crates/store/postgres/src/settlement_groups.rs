//! Settling in groups: the pages of a send that are to be settled while one is being settled share the next transaction.
//!
//! All settlements of a send change its row, and whoever waits for a row wakes up to look at it anew. When each of three workers had all of
//! its pages wait there, the database needed 1.30 times the CPU per delivery that it needs for one worker, 1.12 to 1.27 times when a
//! process settled one page of a send at a time, and 1.12 to 1.14 since they share transactions and wait in a statement that does nothing else
//! (`three_workers_database_cpu` of the benchmark `bench-fleet`, which is to be 1.15 at most).

use futures_util::future::BoxFuture;
use hato_domain::SendId;
use hato_service::ports::{SettleOutcome, StoreError};

use crate::Database;
use crate::connection::DbConnection;
use crate::groups::run_in_group;
use crate::settled_page::PageSettlement;
use crate::settlement::settle;
use crate::waiting::Grouped;

/// Settles the page in a transaction that it may share with others of its send.
pub(crate) async fn settle_in_group(
    database: &Database,
    page: PageSettlement,
) -> Result<SettleOutcome, StoreError> {
    run_in_group(database, &database.waiting_settlements, page).await
}

impl Grouped for PageSettlement {
    type Key = SendId;
    type Outcome = SettleOutcome;
    const CONTEXT: &'static str = "settle a page";

    fn key(&self) -> SendId {
        self.page.send_id.clone()
    }

    fn run_all<'c>(
        c: &'c mut DbConnection,
        pages: &'c [Self],
    ) -> BoxFuture<'c, sqlx::Result<Vec<SettleOutcome>>> {
        Box::pin(settle(c, pages))
    }
}
