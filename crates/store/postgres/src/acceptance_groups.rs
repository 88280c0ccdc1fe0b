//! Accepting in groups: the sends of an account that come while one is being accepted share the next transaction.
//!
//! All sends of an account are charged to one row, that of its month. One after the other they would be accepted at the pace of the
//! commits: 250 a second where one takes 4 ms, however many clients ask. In a group each sees what those before it have charged.
//!
//! A group takes the locks of its idempotency keys first and in order, and then those of its apps (`app_locks`), so that it takes locks
//! in the same order as everybody else.

use futures_util::future::BoxFuture;
use hato_domain::AccountId;
use hato_service::ports::{AcceptSendOutcome, NewSend, StoreError};

use crate::Database;
use crate::acceptance::accept;
use crate::app_locks::{lock_apps, lock_requests};
use crate::connection::DbConnection;
use crate::groups::run_in_group;
use crate::waiting::Grouped;

/// Accepts the send in a transaction that it may share with others of its account.
pub(crate) async fn accept_in_group(
    database: &Database,
    send: NewSend,
) -> Result<AcceptSendOutcome, StoreError> {
    run_in_group(database, &database.waiting_sends, send).await
}

impl Grouped for NewSend {
    type Key = AccountId;
    type Outcome = AcceptSendOutcome;
    const CONTEXT: &'static str = "accept a send";

    fn key(&self) -> AccountId {
        self.account_id.clone()
    }

    fn run_all<'c>(
        c: &'c mut DbConnection,
        sends: &'c [Self],
    ) -> BoxFuture<'c, sqlx::Result<Vec<AcceptSendOutcome>>> {
        Box::pin(accept_all(c, sends))
    }
}

async fn accept_all(
    c: &mut DbConnection,
    sends: &[NewSend],
) -> sqlx::Result<Vec<AcceptSendOutcome>> {
    lock_requests(c, sends).await?;
    lock_apps(c, sends).await?;
    let mut outcomes = Vec::with_capacity(sends.len());
    for send in sends {
        outcomes.push(accept(c, send).await?);
    }
    Ok(outcomes)
}
