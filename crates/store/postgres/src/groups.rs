//! Running in groups: the operations on a row that come while one runs share the next transaction, and its commit.
//!
//! # Why
//!
//! Whoever changes a row makes the next one wait until that change is on disk, and whoever waits for a row wakes up to look at it anew.
//! In a group they wait once. An operation that comes alone is run at once. Those that share rows are the sends of an account
//! ([`crate::acceptance_groups`]) and the settled pages of a send ([`crate::settlement_groups`]).
//!
//! # What an operation can rely on
//!
//! - **It is judged on its own**, as if each had had a transaction. One that is refused writes nothing that would have to be undone.
//! - **Another one's failure is not its own.** When a group fails because of one of its operations, nothing of it is kept, and each gets
//!   a transaction of its own.
//! - **What was answered is on disk.** Nobody hears anything before the commit; when that fails, each gets its error.
//!
//! Groups are of one process and one key. What holds between processes are the rows' locks and the conditions of the statements,
//! as for single operations. A group takes its locks kind by kind, in the order of a single operation; where two transactions meet
//! crosswise even so, PostgreSQL undoes one of them, which is run again ([`crate::transactions`]).

use std::sync::Arc;

use hato_service::ports::StoreError;
use tokio::sync::oneshot;

use crate::Database;
use crate::connections::Connections;
use crate::error::with_context;
use crate::failure::{WriteError, is_of_values};
use crate::transactions::run;
use crate::waiting::{Caller, Grouped, WaitingOperation, WaitingOperations};

/// Runs the operation in a transaction that it may share with others of its key.
pub(crate) async fn run_in_group<T: Grouped>(
    database: &Database,
    waiting: &Arc<WaitingOperations<T>>,
    operation: T,
) -> Result<T::Outcome, StoreError> {
    if database.writes.is_closed() {
        return Err(with_context(T::CONTEXT)(WriteError::Closed));
    }
    let (caller, outcome) = oneshot::channel();
    let key = operation.key();
    if waiting.add(key.clone(), WaitingOperation { operation, caller }) {
        let (connections, waiting) = (database.connections.clone(), Arc::clone(waiting));
        let running = async move {
            while let Some(group) = waiting.next(&key) {
                run_group(&connections, group).await;
            }
        };
        let runtime = database.connections.runtime();
        database.writes.spawn_on(running, runtime);
    }
    let panicked = |_| Err(with_context(T::CONTEXT)(WriteError::Panicked));
    outcome.await.unwrap_or_else(panicked)
}

async fn run_group<T: Grouped>(connections: &Connections, group: Vec<WaitingOperation<T>>) {
    let (operations, callers): (Vec<T>, Vec<Caller<T>>) = group
        .into_iter()
        .map(|waiting| (waiting.operation, waiting.caller))
        .unzip();
    let operations: Arc<[T]> = operations.into();
    match run_together(connections, Arc::clone(&operations)).await {
        Err(error) if callers.len() > 1 && may_be_of_one(&error) => {
            run_each(connections, &operations, callers).await;
        }
        ran => reply::<T>(ran, callers),
    }
}

/// Runs each in a transaction of its own, until one fails for a reason that the others share.
async fn run_each<T: Grouped>(
    connections: &Connections,
    operations: &[T],
    callers: Vec<Caller<T>>,
) {
    let mut callers = callers.into_iter();
    for operation in operations {
        let ran = run_together(connections, [operation.clone()].into()).await;
        let is_shared = ran.as_ref().is_err_and(|error| !may_be_of_one(error));
        let number = if is_shared { operations.len() } else { 1 };
        reply::<T>(ran, callers.by_ref().take(number).collect());
        if is_shared {
            return;
        }
    }
}

/// Runs all in one transaction, on a task of its own, which a panic may end.
async fn run_together<T: Grouped>(
    connections: &Connections,
    operations: Arc<[T]>,
) -> Result<Vec<T::Outcome>, WriteError> {
    let running = connections.runtime().spawn({
        let connections = connections.clone();
        async move {
            run(&connections, move |c| {
                Box::pin(async move { T::run_all(c, &operations).await })
            })
            .await
        }
    });
    running.await.unwrap_or(Err(WriteError::Panicked))
}

/// Whether the same transaction may succeed without one of its operations. Nothing of it was kept. Who has waited too long for a lock,
/// or found no room, would fail alone as well.
fn may_be_of_one(error: &WriteError) -> bool {
    match error {
        WriteError::Failed(error) => is_of_values(error),
        WriteError::Panicked => true,
        WriteError::Unknown(_) | WriteError::Closed => false,
    }
}

fn reply<T: Grouped>(ran: Result<Vec<T::Outcome>, WriteError>, callers: Vec<Caller<T>>) {
    // A caller that has gone away needs no reply.
    match ran {
        Ok(outcomes) => {
            for (caller, outcome) in callers.into_iter().zip(outcomes) {
                caller.send(Ok(outcome)).ok();
            }
        }
        Err(error) => {
            let error = Arc::new(error);
            for caller in callers {
                let error = with_context(T::CONTEXT)(Arc::clone(&error));
                caller.send(Err(error)).ok();
            }
        }
    }
}
