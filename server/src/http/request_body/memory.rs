//! How much memory there is for bodies, and how much of it a client may take (CONTRACT 18).
//!
//! A client holds at most half as much as nobody holds, and an IPv6 site as much. So one alone has a good deal of memory, and the more of
//! them hold what they can, the less the next one gets: it takes nineteen of them until a usual request finds none.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::client_address::ClientInfo;

/// How many times as much has to be free as a client holds.
const FREE_PER_CLIENT: usize = 2;

/// The memory for all bodies of a kind.
#[derive(Debug)]
pub struct BodyMemory {
    is_shared: bool,
    state: Mutex<MemoryState>,
}

/// It remembers only those who hold bytes.
#[derive(Debug)]
struct MemoryState {
    free: usize,
    clients: HashMap<IpAddr, usize>,
    sites: HashMap<IpAddr, usize>,
}

/// The memory that one body takes, given back when this is dropped.
pub struct HeldBytes {
    memory: Arc<BodyMemory>,
    client: ClientInfo,
    bytes: AtomicUsize,
}

impl BodyMemory {
    /// So many bytes for whoever comes first.
    pub fn for_anybody(bytes: usize) -> Self {
        Self::new(bytes, false)
    }

    /// So many bytes, of which no client takes all.
    pub fn shared_by_clients(bytes: usize) -> Self {
        Self::new(bytes, true)
    }

    fn new(bytes: usize, is_shared: bool) -> Self {
        let state = Mutex::new(MemoryState {
            free: bytes,
            clients: HashMap::new(),
            sites: HashMap::new(),
        });
        Self { is_shared, state }
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryState {
    fn has_share(&self, client: ClientInfo, bytes: usize) -> bool {
        let held = |of: &HashMap<IpAddr, usize>, by| of.get(&by).copied().unwrap_or_default();
        let of_client = held(&self.clients, client.rate_limit_key) + bytes;
        let of_site = client.site.map(|site| held(&self.sites, site) + bytes);
        of_client <= self.free / FREE_PER_CLIENT && of_site.unwrap_or(0) <= self.free
    }

    fn take(&mut self, client: ClientInfo, bytes: usize) {
        self.free -= bytes;
        *self.clients.entry(client.rate_limit_key).or_default() += bytes;
        if let Some(site) = client.site {
            *self.sites.entry(site).or_default() += bytes;
        }
    }

    fn release(&mut self, client: ClientInfo, bytes: usize) {
        self.free += bytes;
        subtract(&mut self.clients, client.rate_limit_key, bytes);
        if let Some(site) = client.site {
            subtract(&mut self.sites, site, bytes);
        }
    }
}

fn subtract(held: &mut HashMap<IpAddr, usize>, by: IpAddr, bytes: usize) {
    if let Some(count) = held.get_mut(&by) {
        *count -= bytes;
        if *count == 0 {
            held.remove(&by);
        }
    }
}

impl HeldBytes {
    /// Nothing yet, of a body of `client`.
    pub fn new(memory: &Arc<BodyMemory>, client: ClientInfo) -> Self {
        Self {
            memory: Arc::clone(memory),
            client,
            bytes: AtomicUsize::new(0),
        }
    }

    /// Takes memory for so many more bytes; `false`, and nothing taken, when there is none for the client.
    pub fn take(&self, bytes: usize) -> bool {
        let mut state = self.memory.state();
        if bytes > state.free || self.memory.is_shared && !state.has_share(self.client, bytes) {
            return false;
        }
        if bytes > 0 {
            state.take(self.client, bytes);
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        true
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        let bytes = *self.bytes.get_mut();
        self.memory.state().release(self.client, bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;

    use super::{BodyMemory, HeldBytes};
    use crate::http::client_address::{ClientInfo, rate_limit_key, site};

    fn client(address: &str) -> ClientInfo {
        let address: IpAddr = address.parse().expect("an address");
        ClientInfo {
            rate_limit_key: rate_limit_key(address),
            site: site(address),
            is_https: false,
        }
    }

    /// How many bytes the client takes, one by one, until it is refused.
    fn taken(held: &HeldBytes) -> usize {
        (0..1_000).take_while(|_| held.take(1)).count()
    }

    #[test]
    fn each_client_gets_a_part_of_what_others_leave_and_nobody_all() {
        let memory = Arc::new(BodyMemory::shared_by_clients(1_000));
        let clients: Vec<_> = ["192.0.2.1", "192.0.2.2", "2001:db8::1"]
            .map(|address| HeldBytes::new(&memory, client(address)))
            .into();
        let counts: Vec<_> = clients.iter().map(taken).collect();
        assert_eq!(counts, [333, 222, 148]);
        let neighbour = HeldBytes::new(&memory, client("2001:db8::2"));
        assert!(!neighbour.take(1), "a client counts by its /64");
        drop(clients);
        assert_eq!(taken(&neighbour), 333);
        drop(neighbour);
        let state = memory.state();
        assert_eq!(state.free, 1_000);
        assert!(state.clients.is_empty() && state.sites.is_empty());
    }

    #[test]
    fn a_site_is_counted_together() {
        let memory = Arc::new(BodyMemory::shared_by_clients(1_000));
        let networks: Vec<_> = (0..20)
            .map(|number| HeldBytes::new(&memory, client(&format!("2001:db8:0:{number:x}::1"))))
            .collect();
        let sum: usize = networks.iter().map(taken).sum();
        assert_eq!(sum, 500);
        let elsewhere = HeldBytes::new(&memory, client("2001:db8:1::1"));
        assert_eq!(taken(&elsewhere), 167);
    }
}
