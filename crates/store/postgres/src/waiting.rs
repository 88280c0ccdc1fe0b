//! The operations that wait for the next transaction of their group.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use hato_service::ports::StoreError;
use tokio::sync::oneshot;

use crate::connection::DbConnection;

/// Most operations in one transaction.
const MAX_GROUP: usize = 64;

/// An operation that shares a transaction with others of the same key.
pub(crate) trait Grouped: Clone + Send + Sync + 'static {
    /// What those that share a transaction have in common.
    type Key: Clone + Eq + Hash + Send + 'static;
    /// What became of one.
    type Outcome: Send + 'static;
    /// What was tried when one fails.
    const CONTEXT: &'static str;

    fn key(&self) -> Self::Key;

    /// Runs all of a group, in the order of coming; one outcome for each.
    fn run_all<'c>(
        c: &'c mut DbConnection,
        operations: &'c [Self],
    ) -> BoxFuture<'c, sqlx::Result<Vec<Self::Outcome>>>;
}

/// Who waits for what became of an operation.
pub(crate) type Caller<T> = oneshot::Sender<Result<<T as Grouped>::Outcome, StoreError>>;

/// The operations that wait, by what they share. A key stands here for as long as a task runs its operations.
pub(crate) struct WaitingOperations<T: Grouped>(Mutex<HashMap<T::Key, Vec<WaitingOperation<T>>>>);

/// An operation that waits, and who waits for it.
pub(crate) struct WaitingOperation<T: Grouped> {
    pub(crate) operation: T,
    pub(crate) caller: Caller<T>,
}

impl<T: Grouped> Default for WaitingOperations<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Grouped> WaitingOperations<T> {
    /// Makes the operation wait for its turn; whether there is no task yet that gives it one.
    pub(crate) fn add(&self, key: T::Key, operation: WaitingOperation<T>) -> bool {
        let mut waiting = self.waiting();
        let is_first = !waiting.contains_key(&key);
        waiting.entry(key).or_default().push(operation);
        is_first
    }

    /// The next group of the key, those who came first. When there is none, its task ends.
    pub(crate) fn next(&self, key: &T::Key) -> Option<Vec<WaitingOperation<T>>> {
        let mut keys = self.waiting();
        let waiting = keys.get_mut(key).filter(|waiting| !waiting.is_empty());
        let Some(waiting) = waiting else {
            keys.remove(key);
            return None;
        };
        let later = waiting.split_off(waiting.len().min(MAX_GROUP));
        Some(mem::replace(waiting, later))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<T::Key, Vec<WaitingOperation<T>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
