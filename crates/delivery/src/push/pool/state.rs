//! What the requests of a pool share: its connections, how many requests there are, and who waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::connections::PoolConnections;
use super::connector::Connector;

/// The state of one origin's pool.
pub struct PoolState {
    pub connector: Arc<Connector>,
    connections: Mutex<PoolConnections>,
    /// Requests that want a connection or have one.
    active_requests: AtomicUsize,
    /// Wakes requests that wait for a connection when there may be room on one.
    pub changed: Notify,
}

/// One of the requests that use a pool; it counts as active for as long as it lives.
pub struct ActiveRequest<'a>(&'a PoolState);

impl PoolState {
    /// The state of a pool without connections.
    pub fn new(connector: Arc<Connector>) -> Self {
        Self {
            connector,
            connections: Mutex::new(PoolConnections::new(Instant::now())),
            active_requests: AtomicUsize::new(0),
            changed: Notify::new(),
        }
    }

    /// The connections, locked: nobody waits for anything while holding them.
    pub fn connections(&self) -> MutexGuard<'_, PoolConnections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request as active.
    pub fn begin_request(&self) -> ActiveRequest<'_> {
        self.active_requests.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self)
    }

    /// How many requests want a connection or have one.
    pub fn active_requests(&self) -> usize {
        self.active_requests.load(Ordering::Relaxed)
    }

    /// Lets go of connections that nothing uses and others wait for.
    pub fn make_room(&self) {
        let permits = &self.connector.permits;
        if permits.has_waiters() && self.active_requests() == 0 {
            self.connections().drop_of(|owner| permits.is_wanted(owner));
        }
    }
}

impl Drop for ActiveRequest<'_> {
    fn drop(&mut self) {
        self.0.active_requests.fetch_sub(1, Ordering::Relaxed);
        self.0.make_room();
    }
}
