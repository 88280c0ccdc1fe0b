//! How many connections or requests each client has at a time, of as many as it may have in this process (CONTRACT 18).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The slots of all clients. It remembers only those who hold one.
#[derive(Clone, Debug)]
pub struct ClientSlots(Arc<SlotCounts>);

#[derive(Debug)]
struct SlotCounts {
    /// Most slots of a client; `None` for any number.
    limit: Option<NonZeroU32>,
    held: Mutex<HashMap<IpAddr, u32>>,
}

/// A slot of a client, which is free again when this is dropped.
#[derive(Debug)]
pub struct ClientSlot {
    counts: Arc<SlotCounts>,
    client: IpAddr,
}

impl ClientSlots {
    /// So many slots for each client; `None` for any number.
    pub fn new(limit: Option<NonZeroU32>) -> Self {
        let held = Mutex::default();
        Self(Arc::new(SlotCounts { limit, held }))
    }

    /// A slot, unless the client holds as many as it may.
    pub fn take(&self, client: IpAddr) -> Option<ClientSlot> {
        let counts = Arc::clone(&self.0);
        let mut held = counts.held();
        let count = held.entry(client).or_default();
        if counts.limit.is_some_and(|limit| *count >= limit.get()) {
            return None;
        }
        *count += 1;
        drop(held);
        Some(ClientSlot { counts, client })
    }
}

impl SlotCounts {
    fn held(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientSlot {
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

    use super::ClientSlots;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_slot_is_free_again_when_it_is_dropped() {
        let slots = ClientSlots::new(NonZeroU32::new(2));
        let held = (slots.take(CLIENT), slots.take(CLIENT));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(slots.take(CLIENT).is_none());
        assert!(slots.take(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).is_some());
        drop(held.0);
        assert!(slots.take(CLIENT).is_some());
        drop(held.1);
        assert!(slots.0.held().is_empty(), "nobody is remembered");
    }

    #[test]
    fn without_a_limit_there_is_any_number() {
        let slots = ClientSlots::new(None);
        let held: Vec<_> = (0..1_000).filter_map(|_| slots.take(CLIENT)).collect();
        assert_eq!(held.len(), 1_000);
    }
}
