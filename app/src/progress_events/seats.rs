//! How many may listen at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hato_domain::AccountId;

/// Connections of one account, and of everybody.
const OF_ONE: usize = 8;
const OF_ALL: usize = 1_000;

/// The connections that are held.
#[derive(Default)]
pub struct Seats {
    held: Mutex<HashMap<AccountId, usize>>,
}

/// One of them, free again when this is dropped.
pub struct Seat {
    seats: Arc<Seats>,
    account: AccountId,
}

impl Seats {
    /// A seat for the account, if one is left for it.
    pub fn take(self: &Arc<Self>, account: &AccountId) -> Option<Seat> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.values().sum::<usize>() >= OF_ALL {
            return None;
        }
        let own = held.entry(account.clone()).or_default();
        if *own >= OF_ONE {
            return None;
        }
        *own += 1;
        Some(Seat {
            seats: Arc::clone(self),
            account: account.clone(),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let held = self.seats.held.lock();
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.account) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hato_domain::AccountId;

    use super::{OF_ONE, Seats};

    #[test]
    fn an_account_has_few_and_gets_them_back() {
        let seats = Arc::new(Seats::default());
        let account = |name: &str| AccountId::trusted(name.to_owned());
        let mut taken: Vec<_> = (0..OF_ONE)
            .map(|_| seats.take(&account("usr_a")).expect("a seat"))
            .collect();
        assert!(seats.take(&account("usr_a")).is_none());
        assert!(seats.take(&account("usr_b")).is_some());
        taken.pop();
        assert!(seats.take(&account("usr_a")).is_some());
    }
}
