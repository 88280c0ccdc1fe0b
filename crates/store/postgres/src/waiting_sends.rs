//! The sends that wait for the next transaction of their account.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_domain::AccountId;
use hato_service::ports::{AcceptSendOutcome, NewSend, StoreError};
use tokio::sync::oneshot;

/// Most sends in one transaction.
const MAX_GROUP: usize = 64;

/// Who waits for what became of a send.
pub(crate) type Caller = oneshot::Sender<Result<AcceptSendOutcome, StoreError>>;

/// The sends that wait, by account. An account stands here for as long as a task accepts its sends.
#[derive(Debug, Default)]
pub(crate) struct WaitingSends(Mutex<HashMap<AccountId, Vec<WaitingSend>>>);

/// A send that waits, and who waits for it.
#[derive(Debug)]
pub(crate) struct WaitingSend {
    pub(crate) send: NewSend,
    pub(crate) caller: Caller,
}

impl WaitingSends {
    /// Makes the send wait for its turn; whether there is no task yet that gives it one.
    pub(crate) fn add(&self, account: AccountId, send: WaitingSend) -> bool {
        let mut waiting = self.waiting();
        let is_first = !waiting.contains_key(&account);
        waiting.entry(account).or_default().push(send);
        is_first
    }

    /// The next group of the account, those who came first. When there is none, its task ends.
    pub(crate) fn next(&self, account: &AccountId) -> Option<Vec<WaitingSend>> {
        let mut accounts = self.waiting();
        let waiting = accounts
            .get_mut(account)
            .filter(|waiting| !waiting.is_empty());
        let Some(waiting) = waiting else {
            accounts.remove(account);
            return None;
        };
        let later = waiting.split_off(waiting.len().min(MAX_GROUP));
        Some(mem::replace(waiting, later))
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<AccountId, Vec<WaitingSend>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
