//! The connections to one push-service origin, and the requests that share them.
//!
//! HTTP/2 connections carry many requests each; another is opened when every one is nearly full. An HTTP/1.1 connection
//! carries one request and is kept for the next. Connections are opened in tasks of their own, so that a request which is
//! given up does not take the connection of the others with it; all who wait for the first one learn of its failure.
//! An app opens few at a time that it waits for, so that hosts which do not answer are a trouble of its own.

mod connections;
mod lease;

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::push::connect_limiter::{AppConnectLimit, ConnectPermit};
use crate::push::connection::{ExchangeError, Http1};
use crate::push::connector::{ConnectError, Connector};
use crate::push::limiter::Rejected;
use crate::push::origin::Origin;
use crate::push::request::Push;
use crate::push::response::PushResponse;
use crate::push::settings::OriginLimits;
use connections::{Connections, UseCount};
use lease::ConnectionLease;

/// How often a request is moved to another connection because the one it was given had just died.
const MAX_TRIES: usize = 5;
/// How long an HTTP/1.1 connection may take to be ready for its next request.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a request that found no connection with room stays away.
const OVERLOAD_DELAY: Duration = Duration::from_secs(1);

/// A push did not reach an answer.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// It was not sent.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// There is no answer.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}

/// The pool of one origin.
pub struct Pool {
    origin: Origin,
    connector: Arc<Connector>,
    limits: OriginLimits,
    /// Requests that want a connection or have one.
    active_requests: AtomicUsize,
    connections: Mutex<Connections>,
    changed: Notify,
}

/// What a request finds.
enum Availability {
    /// A connection with room.
    Leased(ConnectionLease),
    /// None with room, and as many in the making as there should be.
    Connecting,
    /// None with room, and one should be opened.
    Exhausted,
}

/// One of the requests that use a pool.
struct ActiveRequest<'a>(&'a Pool);

impl<'a> ActiveRequest<'a> {
    fn new(pool: &'a Pool) -> Self {
        pool.active_requests.fetch_add(1, Ordering::Relaxed);
        Self(pool)
    }
}

impl Drop for ActiveRequest<'_> {
    fn drop(&mut self) {
        self.0.active_requests.fetch_sub(1, Ordering::Relaxed);
        self.0.make_room();
    }
}

impl Pool {
    /// An empty pool.
    pub fn new(origin: Origin, connector: Arc<Connector>, limits: OriginLimits) -> Self {
        Self {
            origin,
            connector,
            limits,
            active_requests: AtomicUsize::new(0),
            connections: Mutex::new(Connections::new(Instant::now())),
            changed: Notify::new(),
        }
    }

    /// Sends a push once it has a connection; from the first one on the push service has `response_timeout` to answer.
    pub async fn send(
        self: &Arc<Self>,
        push: &Push,
        connect_limit: &AppConnectLimit,
        response_timeout: Duration,
    ) -> Result<PushResponse, DeliveryError> {
        let _active = ActiveRequest::new(self);
        let opened_by = Instant::now() + self.connector.max_wait();
        let mut answered_by = None;
        for _ in 0..MAX_TRIES {
            let lease = timeout_at(opened_by, self.lease(connect_limit)).await;
            let lease = lease.map_err(|_| Rejected::Throttled(OVERLOAD_DELAY))??;
            let deadline = *answered_by.get_or_insert_with(|| Instant::now() + response_timeout);
            match lease.exchange(push, deadline).await {
                Err(ExchangeError::Unsent) => {}
                answer => return Ok(answer?),
            }
        }
        Err(ExchangeError::Unsent.into())
    }

    /// How many requests of one app it makes sense to have in flight here.
    pub fn ceiling(&self) -> usize {
        if self.connections().speaks_http1() {
            self.limits.http1_connections
        } else {
            self.limits.requests
        }
    }

    /// Whether nothing was in flight since `moment`.
    pub fn is_idle_since(&self, moment: Instant) -> bool {
        self.is_idle() && self.connections().used_at <= moment
    }

    /// Lets go of the connections if nothing uses them and other origins wait for connections of their own.
    fn make_room(&self) {
        if self.connector.is_full() && self.is_idle() {
            self.connections().clear();
        }
    }

    fn is_idle(&self) -> bool {
        self.active_requests.load(Ordering::Relaxed) == 0
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn lease(
        self: &Arc<Self>,
        connect_limit: &AppConnectLimit,
    ) -> Result<ConnectionLease, ConnectError> {
        let failures_before = self.connections().failures();
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            match self.find(failures_before)? {
                Availability::Leased(lease) => return Ok(lease),
                Availability::Connecting => changed.await,
                Availability::Exhausted => tokio::select! {
                    () = changed => {}
                    permit = connect_limit.acquire() => self.open_if_wanted(permit),
                },
            }
        }
    }

    /// What there is for a request; fails when opening the only connection failed since `failures_before`.
    fn find(self: &Arc<Self>, failures_before: u64) -> Result<Availability, ConnectError> {
        let mut connections = self.connections();
        connections.used_at = Instant::now();
        connections.drop_closed();
        let Some((connection, use_count)) = connections.take(&self.limits) else {
            connections.check_failure(failures_before)?;
            let wants_more = connections.wants_more(true, self.wanted(), &self.limits);
            return Ok(if wants_more {
                Availability::Exhausted
            } else {
                Availability::Connecting
            });
        };
        if connections.wants_more(false, self.wanted(), &self.limits) {
            self.start_connecting(&mut connections, None);
        }
        Ok(Availability::Leased(ConnectionLease::new(
            Arc::clone(self),
            connection,
            use_count,
        )))
    }

    fn wanted(&self) -> usize {
        self.active_requests.load(Ordering::Relaxed)
    }

    /// Others may have opened one, or begun to, in the meantime.
    fn open_if_wanted(self: &Arc<Self>, permit: Option<ConnectPermit>) {
        let mut connections = self.connections();
        if connections.wants_more(true, self.wanted(), &self.limits) {
            self.start_connecting(&mut connections, permit);
        }
    }

    fn start_connecting(
        self: &Arc<Self>,
        connections: &mut Connections,
        permit: Option<ConnectPermit>,
    ) {
        connections.connecting += 1;
        tokio::spawn(Arc::clone(self).open(permit));
    }

    async fn open(self: Arc<Self>, permit: Option<ConnectPermit>) {
        let opened = self.connector.open(&self.origin).await;
        drop(permit);
        if let Err(error) = &opened {
            tracing::debug!(host = %self.origin.host(), %error, "no connection to a push service");
        }
        self.connections().opened(opened);
        self.make_room();
        self.changed.notify_waiters();
    }

    /// Takes an HTTP/1.1 connection back once it is ready for another request.
    async fn take_back(self: Arc<Self>, mut connection: Http1, use_count: UseCount) {
        let ready = tokio::time::timeout(READY_TIMEOUT, connection.ready()).await;
        if matches!(ready, Ok(Ok(()))) {
            self.connections().keep(connection, use_count);
            self.make_room();
        }
        self.changed.notify_one();
    }
}
