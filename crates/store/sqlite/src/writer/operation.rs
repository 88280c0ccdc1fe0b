//! An operation as the queue holds it: run, its last result kept until the transaction's fate is known, then answered.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use super::WriteError;

/// An operation in the queue, whatever it returns.
#[async_trait]
pub(super) trait WriteOperation: Send {
    /// Runs it, as if for the first time; whether its changes are to be kept.
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool;

    /// Tells the caller what became of it, given what became of the transaction.
    fn respond(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>);
}

/// An operation on its way to the task, and its caller, who waits for what it returns.
pub(super) struct PendingWrite<T, F> {
    operation: F,
    result: Option<Result<T, WriteError>>,
    caller: oneshot::Sender<Result<T, WriteError>>,
}

impl<T, F> PendingWrite<T, F> {
    pub(super) fn new(operation: F, caller: oneshot::Sender<Result<T, WriteError>>) -> Self {
        Self {
            operation,
            result: None,
            caller,
        }
    }
}

#[async_trait]
impl<T, F> WriteOperation for PendingWrite<T, F>
where
    T: Send,
    F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, sqlx::Result<T>> + Clone + Send,
{
    async fn run(&mut self, connection: &mut SqliteConnection) -> bool {
        let operation = self.operation.clone();
        let run = AssertUnwindSafe(async { operation(connection).await }).catch_unwind();
        let result = match run.await {
            Ok(result) => result.map_err(WriteError::Failed),
            Err(_) => Err(WriteError::Panicked),
        };
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn respond(self: Box<Self>, transaction: Result<(), Arc<sqlx::Error>>) {
        let response = match (self.result, transaction) {
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Err(own)), _) => Err(own),
            (_, Err(cause)) => Err(WriteError::Transaction(cause)),
            (None, Ok(())) => Err(WriteError::Closed),
        };
        // A caller that has gone away needs no answer.
        self.caller.send(response).ok();
    }
}
