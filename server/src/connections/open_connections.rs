//! Which connections are open, and which of them go when there is no room for another (CONTRACT 18).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::head_timer::ConnectionActivity;

/// Of so many open connections one goes at a time: who looks through all of them seldom spends little on it.
const CONNECTIONS_PER_LEAVER: usize = 100;

/// The open connections of a listener.
#[derive(Clone, Default)]
pub struct OpenConnections(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    last_id: u64,
    open: HashMap<u64, OpenConnection>,
}

#[derive(Clone)]
struct OpenConnection {
    activity: Arc<ConnectionActivity>,
    leave: Arc<Notify>,
}

/// An open connection's place in the list, which it has until this is dropped.
pub struct ConnectionEntry {
    connections: OpenConnections,
    id: u64,
    connection: OpenConnection,
}

impl OpenConnections {
    /// Notes that a connection is open.
    pub fn enter(&self, activity: &Arc<ConnectionActivity>) -> ConnectionEntry {
        let connection = OpenConnection {
            activity: Arc::clone(activity),
            leave: Arc::default(),
        };
        let mut entries = self.entries();
        entries.last_id += 1;
        let id = entries.last_id;
        entries.open.insert(id, connection.clone());
        drop(entries);
        ConnectionEntry {
            connections: self.clone(),
            id,
            connection,
        }
    }

    /// Asks those to leave that have waited longest for a request: one of a hundred, and at least one. Nobody goes who has a request
    /// in work.
    pub fn make_room(&self) {
        let entries = self.entries();
        let mut waiting: Vec<(Instant, &Notify)> = entries
            .open
            .values()
            .filter_map(|it| Some((it.activity.waits_for_request_since()?, &*it.leave)))
            .collect();
        let leavers = (entries.open.len() / CONNECTIONS_PER_LEAVER).max(1);
        let leavers = leavers.min(waiting.len());
        if leavers < waiting.len() {
            waiting.select_nth_unstable_by_key(leavers, |(since, _)| *since);
        }
        for (_, leave) in &waiting[..leavers] {
            leave.notify_one();
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionEntry {
    /// Waits until the connection has to make room for another, which it has not once a request has come.
    pub async fn has_to_leave(&self) {
        let OpenConnection { activity, leave } = &self.connection;
        loop {
            leave.notified().await;
            if activity.waits_for_request_since().is_some() {
                return;
            }
        }
    }
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        self.connections.entries().open.remove(&self.id);
    }
}
