//! Accepting in groups: the sends of an account that come while one is being accepted share the next transaction, and its commit.
//!
//! # Why
//!
//! All sends of an account are charged to one row, that of its month, and whoever changes a row makes the next one wait until that
//! change is on disk. One after the other they would be accepted at the pace of the commits: 250 a second where one takes 4 ms,
//! however many clients ask. In a group they wait once. A send that comes alone is accepted at once.
//!
//! # What a send can rely on
//!
//! - **It is judged on its own**, in the order of coming: each sees what those before it have charged, and is refused or not as if each
//!   had had a transaction. A refusal writes nothing that would have to be undone.
//! - **Another one's failure is not its own.** When a group fails because of one of its sends, nothing of it is kept, and each gets
//!   a transaction of its own.
//! - **What was answered is on disk.** Nobody hears anything before the commit; when that fails, each gets its error.
//!
//! Groups are of one process and one account. What holds between processes are the rows' locks and the conditions of the statements,
//! as for single sends. A group takes the locks of its idempotency keys first and in order, and then those of its apps
//! (`app_locks`), so that it takes locks in the same order as everybody else.

use std::sync::Arc;

use futures_util::future::join_all;
use hato_service::ports::{AcceptSendOutcome, NewSend, StoreError};
use tokio::sync::oneshot;

use crate::Database;
use crate::acceptance::accept;
use crate::app_locks::{lock_apps, lock_requests};
use crate::connection::DbConnection;
use crate::connections::Connections;
use crate::error::with_context;
use crate::failure::{WriteError, is_of_values};
use crate::transactions::run;
use crate::waiting_sends::{Caller, WaitingSend};

const CONTEXT: &str = "accept a send";

/// Accepts the send in a transaction that it may share with others of its account.
pub(crate) async fn accept_in_group(
    database: &Database,
    send: NewSend,
) -> Result<AcceptSendOutcome, StoreError> {
    if database.writes.is_closed() {
        return Err(with_context(CONTEXT)(WriteError::Closed));
    }
    let (caller, outcome) = oneshot::channel();
    let account = send.account_id.clone();
    let waiting = &database.waiting_sends;
    if waiting.add(account.clone(), WaitingSend { send, caller }) {
        let (connections, waiting) = (database.connections.clone(), Arc::clone(waiting));
        database.writes.spawn(async move {
            while let Some(group) = waiting.next(&account) {
                accept_group(&connections, group).await;
            }
        });
    }
    let panicked = |_| Err(with_context(CONTEXT)(WriteError::Panicked));
    outcome.await.unwrap_or_else(panicked)
}

async fn accept_group(connections: &Connections, group: Vec<WaitingSend>) {
    let (sends, callers): (Vec<NewSend>, Vec<Caller>) = group
        .into_iter()
        .map(|waiting| (waiting.send, waiting.caller))
        .unzip();
    let sends: Arc<[NewSend]> = sends.into();
    match accept_together(connections, Arc::clone(&sends)).await {
        Err(error) if callers.len() > 1 && may_be_of_one(&error) => {
            join_all(sends.iter().zip(callers).map(|(send, caller)| async move {
                let accepted = accept_together(connections, [send.clone()].into()).await;
                reply(accepted, vec![caller]);
            }))
            .await;
        }
        accepted => reply(accepted, callers),
    }
}

/// Accepts all in one transaction, on a task of its own, which a panic may end.
async fn accept_together(
    connections: &Connections,
    sends: Arc<[NewSend]>,
) -> Result<Vec<AcceptSendOutcome>, WriteError> {
    let connections = connections.clone();
    let accepting = tokio::spawn(async move {
        run(&connections, move |c| {
            Box::pin(async move { accept_all(c, &sends).await })
        })
        .await
    });
    accepting.await.unwrap_or(Err(WriteError::Panicked))
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

/// Whether the same transaction may succeed without one of its operations. Nothing of it was kept. Who has waited too long for a lock,
/// or found no room, would fail alone as well, and 64 at once would take all connections.
fn may_be_of_one(error: &WriteError) -> bool {
    match error {
        WriteError::Failed(error) => is_of_values(error),
        WriteError::Panicked => true,
        WriteError::Unknown(_) | WriteError::Closed => false,
    }
}

fn reply(accepted: Result<Vec<AcceptSendOutcome>, WriteError>, callers: Vec<Caller>) {
    // A caller that has gone away needs no reply.
    match accepted {
        Ok(outcomes) => {
            for (caller, outcome) in callers.into_iter().zip(outcomes) {
                caller.send(Ok(outcome)).ok();
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            for caller in callers {
                let error = with_context(CONTEXT)(Arc::clone(&error));
                caller.send(Err(error)).ok();
            }
        }
    }
}
