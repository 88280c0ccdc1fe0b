//! How many connections or requests each client has at a time, of as many as it may have in this process (CONTRACT 18).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many each client has. It remembers only those who hold a permit.
#[derive(Clone, Debug)]
pub struct ClientLimiter(Arc<ClientCounts>);

#[derive(Debug)]
struct ClientCounts {
    /// The most that a client may have; `None` for any number.
    limit: Option<NonZeroU32>,
    held: Mutex<HashMap<IpAddr, u32>>,
}

/// A permit of a client, which is free again when this is dropped.
#[derive(Debug)]
pub struct ClientPermit {
    counts: Arc<ClientCounts>,
    client: IpAddr,
}

impl ClientLimiter {
    /// So many permits for each client; `None` for any number.
    pub fn new(limit: Option<NonZeroU32>) -> Self {
        let held = Mutex::default();
        Self(Arc::new(ClientCounts { limit, held }))
    }

    /// A permit, unless the client holds as many as it may have.
    pub fn try_acquire(&self, client: IpAddr) -> Option<ClientPermit> {
        let counts = Arc::clone(&self.0);
        let mut held = counts.held();
        let count = held.entry(client).or_default();
        if counts.limit.is_some_and(|limit| *count >= limit.get()) {
            return None;
        }
        *count += 1;
        drop(held);
        Some(ClientPermit { counts, client })
    }
}

impl ClientCounts {
    fn held(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.counts.held().entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::num::NonZeroU32;

    use super::ClientLimiter;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_permit_is_free_again_when_it_is_dropped() {
        let limiter = ClientLimiter::new(NonZeroU32::new(2));
        let held = (limiter.try_acquire(CLIENT), limiter.try_acquire(CLIENT));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(limiter.try_acquire(CLIENT).is_none());
        assert!(
            limiter
                .try_acquire(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
                .is_some()
        );
        drop(held.0);
        assert!(limiter.try_acquire(CLIENT).is_some());
        drop(held.1);
        assert!(limiter.0.held().is_empty(), "nobody is remembered");
    }

    #[test]
    fn without_a_limit_there_is_any_number() {
        let limiter = ClientLimiter::new(None);
        let held: Vec<_> = (0..1_000)
            .filter_map(|_| limiter.try_acquire(CLIENT))
            .collect();
        assert_eq!(held.len(), 1_000);
    }
}
