//! Running an operation in a transaction, and running it again when PostgreSQL asks for that.
//!
//! # What an operation can rely on
//!
//! - **All or nothing.** It runs in a transaction of its own. When it fails or panics, nothing of it is kept.
//! - **It goes on when its caller goes away**, as on SQLite: it runs on a task of its own, and closing the store waits for it.
//! - **What was answered is on disk.** The answer comes after the commit, which waits for the disk.
//! - **It is done once.** It is run again only when it is certain that nothing of it was kept: PostgreSQL undid it (a serialization
//!   failure, a deadlock), or the connection was lost before the commit was asked for. When the connection is lost while it
//!   commits, nobody knows what became of it, and the caller gets an error: requests that must not be repeated have an
//!   idempotency key for that.
//!
//! An operation sees, in each statement, what was committed before that statement (READ COMMITTED). It therefore locks what it
//! must not see change, before it reads it.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hato_service::jittered;

use crate::app_turns::{AppTurn, awaited_app};
use crate::connection::DbConnection;
use crate::connections::Connections;
use crate::failure::{WriteError, is_conflict, is_lost_connection, is_undone};

/// How often an operation is run before its failure is the answer.
const MAX_RUNS: u32 = 6;

/// The wait before the second run; it doubles with each further one, and is cut by chance, so that two do not meet again.
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// Runs the operation until its changes are committed, or it fails for good.
pub(crate) async fn run<T, F>(connections: &Connections, operation: F) -> Result<T, WriteError>
where
    F: for<'c> FnOnce(&'c mut DbConnection) -> BoxFuture<'c, sqlx::Result<T>> + Clone,
{
    let mut wait = FIRST_WAIT;
    for _ in 1..MAX_RUNS {
        match run_in_turn(connections, operation.clone()).await {
            Err(WriteError::Failed(error)) if may_succeed_again(&error) => {
                tracing::debug!(%error, "a transaction was undone; it is run again");
            }
            result => return result,
        }
        tokio::time::sleep(jittered(wait)).await;
        wait *= 2;
    }
    run_in_turn(connections, operation).await
}

/// Runs the operation. Where it would lock an app that others lock, it ends, waits for its turn without a connection, and is run again.
async fn run_in_turn<T, F>(connections: &Connections, operation: F) -> Result<T, WriteError>
where
    F: for<'c> FnOnce(&'c mut DbConnection) -> BoxFuture<'c, sqlx::Result<T>> + Clone,
{
    let ran = run_once(connections, None, operation.clone()).await;
    let turn = match &ran {
        Err(WriteError::Failed(error)) => match awaited_app(error) {
            Some(app) => connections.app_turns.wait(app).await,
            None => return ran,
        },
        _ => return ran,
    };
    let turn = turn.map_err(WriteError::Failed)?;
    run_once(connections, Some(turn), operation).await
}

async fn run_once<T, F>(
    connections: &Connections,
    turn: Option<AppTurn>,
    operation: F,
) -> Result<T, WriteError>
where
    F: for<'c> FnOnce(&'c mut DbConnection) -> BoxFuture<'c, sqlx::Result<T>>,
{
    let mut connection = connections.begin().await.map_err(WriteError::Failed)?;
    if let Some(turn) = turn {
        connection.give_turn(turn);
    }
    let ran = operation(&mut connection).await;
    let failed: fn(sqlx::Error) -> WriteError = match &ran {
        Ok(_) => not_committed,
        Err(error) => {
            connections.report_pooler(error);
            WriteError::Failed
        }
    };
    connection.end(ran).await.map_err(failed)
}

fn not_committed(error: sqlx::Error) -> WriteError {
    if is_undone(&error) {
        WriteError::Failed(error)
    } else {
        WriteError::Unknown(error)
    }
}

/// Whether the same operation may succeed when it is run again.
fn may_succeed_again(error: &sqlx::Error) -> bool {
    is_conflict(error) || is_lost_connection(error) || awaited_app(error).is_some()
}

#[cfg(test)]
#[path = "transactions/tests.rs"]
mod tests;
