//! How many connections or requests each client has at a time, of as many as it may have in this process (CONTRACT 18).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many clients' permits an IPv6 site has, which is given a /48 and can count as 65,536 clients.
const CLIENTS_PER_SITE: u32 = 10;

/// How many each client has, and each site. It remembers only those who hold a permit.
#[derive(Clone, Debug)]
pub struct ClientLimiter(Arc<ClientCounts>);

#[derive(Debug)]
struct ClientCounts {
    /// The most that a client may have; `None` for any number.
    limit: Option<NonZeroU32>,
    held: Mutex<HeldPermits>,
}

#[derive(Debug, Default)]
struct HeldPermits {
    clients: HashMap<IpAddr, u32>,
    sites: HashMap<IpAddr, u32>,
}

/// A permit of a client, which is free again when this is dropped.
#[derive(Debug)]
pub struct ClientPermit {
    counts: Arc<ClientCounts>,
    client: IpAddr,
    site: Option<IpAddr>,
}

impl ClientLimiter {
    /// So many permits for each client, and ten times as many for each site; `None` for any number.
    pub fn new(limit: Option<NonZeroU32>) -> Self {
        let held = Mutex::default();
        Self(Arc::new(ClientCounts { limit, held }))
    }

    /// A permit, unless the client or its site holds as many as it may have.
    pub fn try_acquire(&self, client: IpAddr, site: Option<IpAddr>) -> Option<ClientPermit> {
        let counts = Arc::clone(&self.0);
        let is_taken = counts.held().take(client, site, counts.limit);
        is_taken.then(|| ClientPermit {
            counts,
            client,
            site,
        })
    }
}

impl ClientCounts {
    fn held(&self) -> MutexGuard<'_, HeldPermits> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldPermits {
    /// Counts one more; `false`, and nothing counted, when that would be too many.
    fn take(&mut self, client: IpAddr, site: Option<IpAddr>, limit: Option<NonZeroU32>) -> bool {
        let limit = limit.map_or(u32::MAX, NonZeroU32::get);
        let of_site = limit.saturating_mul(CLIENTS_PER_SITE);
        let is_free = count(&self.clients, client) < limit
            && site.is_none_or(|site| count(&self.sites, site) < of_site);
        if is_free {
            *self.clients.entry(client).or_default() += 1;
            if let Some(site) = site {
                *self.sites.entry(site).or_default() += 1;
            }
        }
        is_free
    }

    fn give_back(&mut self, permit: &ClientPermit) {
        give_back_one(&mut self.clients, permit.client);
        if let Some(site) = permit.site {
            give_back_one(&mut self.sites, site);
        }
    }
}

fn count(held: &HashMap<IpAddr, u32>, by: IpAddr) -> u32 {
    held.get(&by).copied().unwrap_or_default()
}

fn give_back_one(held: &mut HashMap<IpAddr, u32>, by: IpAddr) {
    if let Entry::Occupied(mut count) = held.entry(by) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

impl Drop for ClientPermit {
    fn drop(&mut self) {
        self.counts.held().give_back(self);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
    use std::num::NonZeroU32;

    use super::ClientLimiter;

    const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn a_permit_is_free_again_when_it_is_dropped() {
        let limiter = ClientLimiter::new(NonZeroU32::new(2));
        let held = (
            limiter.try_acquire(CLIENT, None),
            limiter.try_acquire(CLIENT, None),
        );
        assert!(held.0.is_some() && held.1.is_some());
        assert!(limiter.try_acquire(CLIENT, None).is_none());
        assert!(
            limiter
                .try_acquire(IpAddr::V4(Ipv4Addr::UNSPECIFIED), None)
                .is_some()
        );
        drop(held.0);
        assert!(limiter.try_acquire(CLIENT, None).is_some());
        drop(held.1);
        assert!(limiter.0.held().clients.is_empty(), "nobody is remembered");
    }

    #[test]
    fn a_site_has_ten_times_as_many_as_a_client() {
        let limiter = ClientLimiter::new(NonZeroU32::new(2));
        let network = |site: u16, number: u16| {
            IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, site, number, 0, 0, 0, 0))
        };
        let acquire = |site: u16, number: u16| {
            limiter.try_acquire(network(site, number), Some(network(site, 0)))
        };
        let mut held: Vec<_> = (0..11)
            .flat_map(|number| [acquire(1, number), acquire(1, number)])
            .collect();
        let refused = held.split_off(20);
        assert!(held.iter().all(Option::is_some) && refused.iter().all(Option::is_none));
        assert!(acquire(2, 1).is_some());
        held.pop();
        assert!(acquire(1, 11).is_some());
        drop(held);
        assert!(limiter.0.held().sites.is_empty(), "nobody is remembered");
    }

    #[test]
    fn without_a_limit_there_is_any_number() {
        let limiter = ClientLimiter::new(None);
        let held: Vec<_> = (0..1_000)
            .filter_map(|_| limiter.try_acquire(CLIENT, None))
            .collect();
        assert_eq!(held.len(), 1_000);
    }
}
