//! What a pool has open, and when it wants more.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::connection::{Connection, Http1, Http2};
use crate::connector::NoConnection;
use crate::settings::OriginLimits;

/// Percent of an HTTP/2 connection's streams in use from which another connection is wanted.
const NEARLY_FULL: usize = 80;
/// How long a pool that has connections waits after failing to open another.
const PAUSE: Duration = Duration::from_secs(1);

/// Something that is counted while it is held: a stream, or a connection.
pub type Held = Arc<()>;

/// The open connections of a pool.
pub struct Connections {
    shared: Vec<Shared>,
    idle: Vec<(Http1, Held)>,
    /// Counts the HTTP/1.1 connections, idle or not.
    exclusive: Held,
    /// Whether the last connection spoke HTTP/1.1.
    speaks_http1: bool,
    /// Connections being opened.
    pub opening: usize,
    failures: u64,
    failure: Option<(Instant, NoConnection)>,
    /// When a request last wanted one.
    pub used_at: Instant,
}

struct Shared {
    connection: Http2,
    streams: Held,
}

impl Shared {
    fn load(&self) -> usize {
        Arc::strong_count(&self.streams) - 1
    }

    fn capacity(&self, limits: &OriginLimits) -> usize {
        self.connection
            .allowed_streams()
            .clamp(1, limits.http2_streams)
    }

    fn is_nearly_full(&self, limits: &OriginLimits) -> bool {
        self.load() * 100 >= self.capacity(limits) * NEARLY_FULL
    }
}

impl Connections {
    /// None yet.
    pub fn new(now: Instant) -> Self {
        Self {
            shared: Vec::new(),
            idle: Vec::new(),
            exclusive: Held::default(),
            speaks_http1: false,
            opening: 0,
            failures: 0,
            failure: None,
            used_at: now,
        }
    }

    /// Whether the last connection spoke HTTP/1.1.
    pub fn speaks_http1(&self) -> bool {
        self.speaks_http1
    }

    /// How many times opening has failed.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Forgets connections that take no more requests; what is in flight on them is not touched.
    pub fn drop_closed(&mut self) {
        self.shared.retain(|shared| !shared.connection.is_closed());
        self.idle.retain(|(connection, _)| !connection.is_closed());
    }

    /// Lets go of all connections.
    pub fn clear(&mut self) {
        self.shared.clear();
        self.idle.clear();
    }

    /// A connection with room: the idle one used last, or the least loaded.
    pub fn take(&mut self, limits: &OriginLimits) -> Option<(Connection, Held)> {
        if let Some((connection, held)) = self.idle.pop() {
            return Some((Connection::Http1(connection), held));
        }
        let least = self.shared.iter().min_by_key(|shared| shared.load())?;
        let has_room = least.load() < least.capacity(limits);
        has_room.then(|| {
            let connection = Connection::Http2(least.connection.clone());
            (connection, Arc::clone(&least.streams))
        })
    }

    /// The last failure, if it came after `failures_before` and there is nothing left to wait for.
    pub fn check_failure(&self, failures_before: u64) -> Result<(), NoConnection> {
        match &self.failure {
            Some((_, cause)) if self.failures != failures_before && self.is_hopeless() => {
                Err(cause.clone())
            }
            _ => Ok(()),
        }
    }

    fn is_hopeless(&self) -> bool {
        self.shared.is_empty() && self.exclusive_count() == 0 && self.opening == 0
    }

    fn exclusive_count(&self) -> usize {
        Arc::strong_count(&self.exclusive) - 1
    }

    /// Whether another connection should be opened for `users` requests; `waiting` says that one of them has none.
    pub fn wants_more(&self, waiting: bool, users: usize, limits: &OriginLimits) -> bool {
        if !self.shared.is_empty() {
            return self.wants_more_shared(users, limits) && !self.failed_just_now();
        }
        if self.speaks_http1 {
            let open = self.exclusive_count() + self.opening;
            let pause = open > 0 && self.failed_just_now();
            return waiting && open < limits.http1_connections && !pause;
        }
        waiting && self.opening == 0
    }

    /// All are nearly full, and those being opened will not take everybody either.
    fn wants_more_shared(&self, users: usize, limits: &OriginLimits) -> bool {
        let capacities = self.shared.iter().map(|shared| shared.capacity(limits));
        let capacity = capacities.max().unwrap_or(1);
        let count = self.shared.len() + self.opening;
        let full = self
            .shared
            .iter()
            .all(|shared| shared.is_nearly_full(limits));
        full && count < limits.http2_connections && count * capacity * NEARLY_FULL <= users * 100
    }

    fn failed_just_now(&self) -> bool {
        self.failure
            .as_ref()
            .is_some_and(|(at, _)| at.elapsed() < PAUSE)
    }

    /// Takes note of how an opening went.
    pub fn opened(&mut self, opened: Result<Connection, NoConnection>) {
        self.opening -= 1;
        match opened {
            Ok(Connection::Http2(connection)) => {
                self.speaks_http1 = false;
                self.shared.push(Shared {
                    connection,
                    streams: Held::default(),
                });
            }
            Ok(Connection::Http1(connection)) => {
                self.speaks_http1 = true;
                self.idle.push((connection, Arc::clone(&self.exclusive)));
            }
            Err(cause) => {
                self.failures += 1;
                self.failure = Some((Instant::now(), cause));
            }
        }
    }

    /// Takes back an HTTP/1.1 connection that is ready again.
    pub fn keep(&mut self, connection: Http1, held: Held) {
        self.idle.push((connection, held));
    }
}
