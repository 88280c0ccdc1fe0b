//! How many may listen at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hato_domain::AccountId;

/// Connections of one account, and of everybody.
const MAX_PER_ACCOUNT: usize = 8;
const MAX_TOTAL: usize = 1_000;

/// The connections that are held.
#[derive(Default)]
pub struct SseLimiter {
    held: Mutex<HashMap<AccountId, usize>>,
}

/// A held connection, released when this is dropped.
pub struct SsePermit {
    limiter: Arc<SseLimiter>,
    account: AccountId,
}

impl SseLimiter {
    /// A permit for the account, if one is left for it.
    pub fn acquire(self: &Arc<Self>, account: &AccountId) -> Option<SsePermit> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.values().sum::<usize>() >= MAX_TOTAL {
            return None;
        }
        let own = held.entry(account.clone()).or_default();
        if *own >= MAX_PER_ACCOUNT {
            return None;
        }
        *own += 1;
        Some(SsePermit {
            limiter: Arc::clone(self),
            account: account.clone(),
        })
    }
}

impl Drop for SsePermit {
    fn drop(&mut self) {
        let held = self.limiter.held.lock();
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

    use super::{MAX_PER_ACCOUNT, MAX_TOTAL, SseLimiter};

    #[test]
    fn an_account_has_few_and_gets_them_back() {
        let limiter = Arc::new(SseLimiter::default());
        let account = |name: &str| AccountId::trusted(name.to_owned());
        let mut taken: Vec<_> = (0..MAX_PER_ACCOUNT)
            .map(|_| limiter.acquire(&account("usr_a")).expect("a permit"))
            .collect();
        assert!(limiter.acquire(&account("usr_a")).is_none());
        assert!(limiter.acquire(&account("usr_b")).is_some());
        taken.pop();
        assert!(limiter.acquire(&account("usr_a")).is_some());
    }

    #[test]
    fn all_accounts_together_have_as_many_as_a_process_bears() {
        let limiter = Arc::new(SseLimiter::default());
        let acquire = |number: usize| limiter.acquire(&AccountId::trusted(format!("usr_{number}")));
        let mut taken: Vec<_> = (0..MAX_TOTAL)
            .map(|number| acquire(number).expect("a permit"))
            .collect();
        assert!(acquire(MAX_TOTAL).is_none());
        taken.pop();
        assert!(acquire(MAX_TOTAL).is_some());
    }
}
