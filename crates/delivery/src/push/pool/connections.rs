//! What a pool has open, and when it wants more.
//!
//! To send at rate *r* to a service with latency *l* takes *r · l* requests in flight (Little's law), more than one connection
//! allows. Another is opened before all are full, at 80 % of their streams, so that it is there when it is needed. No more
//! are opened than the requests at hand would fill, since each costs both sides a handshake.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::connection::{Http1, Http2, PushConnection};
use super::connection_permits::ConnectionOwner;
use super::error::ConnectError;
use crate::push::settings::OriginLimits;

/// Percent of an HTTP/2 connection's streams in use from which another connection is wanted.
const NEARLY_FULL: usize = 80;
/// How long a pool that has connections waits after failing to open another.
const CONNECT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Counts streams or connections in use: as many as there are clones of it beyond the first. A count that is held like this is
/// right whichever way a request ends.
pub type UseCount = Arc<()>;

/// The open connections of a pool.
pub struct PoolConnections {
    http2: Vec<PooledHttp2>,
    idle: Vec<(Http1, UseCount)>,
    /// Counts the HTTP/1.1 connections, idle or not.
    http1_use: UseCount,
    /// Whether the last connection spoke HTTP/1.1.
    pub speaks_http1: bool,
    /// How many connections are being opened now.
    pub connecting: usize,
    /// How many times opening has failed.
    pub failures: u64,
    /// The latest of them.
    failure: Option<(Instant, ConnectError)>,
    /// When a request last wanted one.
    pub used_at: Instant,
    /// Where the last one leads.
    pub address: Option<SocketAddr>,
}

struct PooledHttp2 {
    connection: Http2,
    streams: UseCount,
}

impl PooledHttp2 {
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

impl PoolConnections {
    /// No connections, and no request yet that has wanted one.
    pub fn new(now: Instant) -> Self {
        Self {
            http2: Vec::new(),
            idle: Vec::new(),
            http1_use: UseCount::default(),
            speaks_http1: false,
            connecting: 0,
            failures: 0,
            failure: None,
            used_at: now,
            address: None,
        }
    }

    /// Forgets connections that take no more requests; what is in flight on them is not touched.
    pub fn drop_closed(&mut self) {
        self.http2.retain(|pooled| !pooled.connection.is_closed());
        self.idle.retain(|(connection, _)| !connection.is_closed());
    }

    /// Lets go of the connections of those owners.
    pub fn drop_of(&mut self, is_dropped: impl Fn(&ConnectionOwner) -> bool) {
        self.http2
            .retain(|pooled| !is_dropped(&pooled.connection.owner));
        self.idle
            .retain(|(connection, _)| !is_dropped(&connection.owner));
    }

    /// How many there are, in use or not.
    pub fn count(&self) -> usize {
        self.http2.len() + self.http1_count()
    }

    /// Whether requests can be made without another connection.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// A connection with room: the idle HTTP/1.1 one that was used last and is least likely to be closed by the peer, or the
    /// least loaded of HTTP/2.
    pub fn take(&mut self, limits: &OriginLimits) -> Option<(PushConnection, UseCount)> {
        if let Some((connection, use_count)) = self.idle.pop() {
            return Some((PushConnection::Http1(connection), use_count));
        }
        let least = self.http2.iter().min_by_key(|pooled| pooled.load())?;
        let has_room = least.load() < least.capacity(limits);
        has_room.then(|| {
            let connection = PushConnection::Http2(least.connection.clone());
            (connection, Arc::clone(&least.streams))
        })
    }

    /// The last failure, if it came after `failures_before` and there is nothing left to wait for.
    pub fn check_failure(&self, failures_before: u64) -> Result<(), ConnectError> {
        match &self.failure {
            Some((_, cause)) if self.failures != failures_before && self.has_no_prospect() => {
                Err(cause.clone())
            }
            _ => Ok(()),
        }
    }

    fn has_no_prospect(&self) -> bool {
        self.is_empty() && self.connecting == 0
    }

    fn http1_count(&self) -> usize {
        Arc::strong_count(&self.http1_use) - 1
    }

    /// Whether another connection should be opened for `active_requests` requests; `waiting` says that one of them has none.
    pub fn wants_more(&self, waiting: bool, active_requests: usize, limits: &OriginLimits) -> bool {
        if !self.http2.is_empty() {
            return self.wants_more_http2(active_requests, limits) && !self.failed_just_now();
        }
        if self.speaks_http1 {
            let open = self.http1_count() + self.connecting;
            let is_backing_off = open > 0 && self.failed_just_now();
            return waiting && open < limits.http1_connections && !is_backing_off;
        }
        waiting && self.connecting == 0
    }

    /// Whether all are nearly full, and those being opened will not take everybody either.
    fn wants_more_http2(&self, active_requests: usize, limits: &OriginLimits) -> bool {
        let capacities = self.http2.iter().map(|pooled| pooled.capacity(limits));
        let capacity = capacities.max().unwrap_or(1);
        let count = self.http2.len() + self.connecting;
        let full = self
            .http2
            .iter()
            .all(|pooled| pooled.is_nearly_full(limits));
        full && count < limits.http2_connections
            && count * capacity * NEARLY_FULL <= active_requests * 100
    }

    fn failed_just_now(&self) -> bool {
        self.failure
            .as_ref()
            .is_some_and(|(at, _)| at.elapsed() < CONNECT_RETRY_DELAY)
    }

    /// Takes note of how an opening went.
    pub fn opened(&mut self, opened: Result<(PushConnection, SocketAddr), ConnectError>) {
        self.connecting -= 1;
        let opened = opened.map(|(connection, address)| {
            self.address = Some(address);
            connection
        });
        match opened {
            Ok(PushConnection::Http2(connection)) => {
                self.speaks_http1 = false;
                self.http2.push(PooledHttp2 {
                    connection,
                    streams: UseCount::default(),
                });
            }
            Ok(PushConnection::Http1(connection)) => {
                self.speaks_http1 = true;
                self.idle.push((connection, Arc::clone(&self.http1_use)));
            }
            Err(cause) => {
                self.failures += 1;
                self.failure = Some((Instant::now(), cause));
            }
        }
    }

    /// Takes back an HTTP/1.1 connection that is ready again.
    pub fn keep(&mut self, connection: Http1, use_count: UseCount) {
        self.idle.push((connection, use_count));
    }
}
