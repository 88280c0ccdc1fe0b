//! The connections to one push-service origin, and the requests that share them.
//!
//! HTTP/2 connections carry many requests each; another is opened when every one is nearly full ([`connections`]). An HTTP/1.1
//! connection carries one request and is kept for the next. Clients that keep one HTTP/2 connection per host, as reqwest does, make
//! 1,700 pushes a second to a service 50 ms away that allows 100 streams; ten connections make 14,000.
//!
//! Connections are opened in tasks of their own, so that a request which is given up does not take the connection of the
//! others with it; all who wait for the first one learn of its failure. An app opens only a few at a time that it waits for, and holds
//! only its share ([`connection_permits`]). Who waits for either waits as a request and not as the pool: others may open one meanwhile.

mod connection;
pub mod connection_permits;
mod connections;
pub mod connector;
pub mod error;
mod lease;
mod local_faults;
mod state;
mod witnesses;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

#[cfg(any(test, hato_fuzzing))]
pub use connection::fuzzing::http_peer;

use crate::metrics::count_connection;
use crate::push::origin::Origin;
use crate::push::request::Push;
use crate::push::response::PushResponse;
use crate::push::settings::OriginLimits;
use connection_permits::{ConnectionOwner, ConnectionPermit};
use connections::PoolConnections;
use connector::Connector;
use error::{ConnectError, DeliveryError, ExchangeError};
use lease::ConnectionLease;
use state::PoolState;

/// How often a request is moved to another connection because the one it was given had just died.
const MAX_TRIES: usize = 5;
/// The pool of one origin.
pub struct Pool {
    origin: Origin,
    limits: OriginLimits,
    state: Arc<PoolState>,
}

/// On whose behalf connections to one origin are opened.
pub struct ConnectionOpener {
    /// For whom they count.
    pub owner: Arc<ConnectionOwner>,
    /// Permits for those that the app opens while it waits for them, to all origins together: names that do not resolve and hosts
    /// that do not answer hold look-ups and connections for seconds, and an app with many of them waits for itself.
    pub connect_limit: Arc<Semaphore>,
}

/// What it takes to open a connection.
struct OpenGrant {
    permit: ConnectionPermit,
    /// None when nobody waits for the connection.
    _connecting: Option<OwnedSemaphorePermit>,
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

impl Pool {
    /// A pool of the origin that opens its first connection when a request asks for one.
    pub fn new(origin: Origin, connector: Arc<Connector>, limits: OriginLimits) -> Self {
        Self {
            origin,
            limits,
            state: Arc::new(PoolState::new(connector)),
        }
    }

    /// Makes a push once it has a connection; from then on the push service has `response_timeout` to answer. The response, and how
    /// long it took.
    ///
    /// One that may not be begun any more is not ([`DeliveryError::TooLate`]).
    /// A request that was certainly not processed goes out again on another connection, within the same time. That is how a GOAWAY or
    /// a restart of a push service costs no attempt.
    pub async fn push(
        self: &Arc<Self>,
        push: &Push,
        opener: &ConnectionOpener,
        response_timeout: Duration,
    ) -> Result<(PushResponse, Duration), DeliveryError> {
        let _active = self.state.begin_request();
        let opened_by = Instant::now() + self.state.connector.max_wait();
        let mut answered_by = None;
        for _ in 0..MAX_TRIES {
            let lease = timeout_at(opened_by, self.lease(opener)).await;
            let lease = lease.map_err(|_| DeliveryError::NoConnection)??;
            if push.is_too_late() {
                return Err(DeliveryError::TooLate);
            }
            let sent_at = Instant::now();
            let deadline = *answered_by.get_or_insert(sent_at + response_timeout);
            match lease.exchange(push, deadline).await {
                Err(ExchangeError::Unsent) => {}
                result => {
                    let response = result?;
                    let address = self.state.connections().address;
                    self.state.connector.answered(&self.origin.host, address);
                    return Ok((response, sent_at.elapsed()));
                }
            }
        }
        Err(ExchangeError::Unsent.into())
    }

    /// How many requests of one app it makes sense to have in flight here.
    pub fn ceiling(&self) -> usize {
        if self.state.connections().speaks_http1 {
            self.limits.http1_connections
        } else {
            self.limits.requests
        }
    }

    /// Fails while this machine is known to be unable to open the connection that a request would need.
    pub fn check(&self) -> Result<(), ConnectError> {
        let checked = self.state.connector.check(&self.origin.host);
        checked.or_else(|error| {
            if self.state.connections().is_empty() {
                Err(error)
            } else {
                Ok(())
            }
        })
    }

    /// Lets go of connections that nothing uses and others wait for.
    pub fn make_room(&self) {
        self.state.make_room();
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.state.connections().count()
    }

    /// How many requests want a connection or have one.
    pub fn requests(&self) -> usize {
        self.state.active_requests()
    }

    /// Whether nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.state.active_requests() == 0
    }

    /// Whether nothing was in flight since `moment`.
    pub fn is_idle_since(&self, moment: Instant) -> bool {
        self.is_idle() && self.state.connections().used_at <= moment
    }

    /// Waits for a connection with room, opening one where that is due.
    async fn lease(
        self: &Arc<Self>,
        opener: &ConnectionOpener,
    ) -> Result<ConnectionLease, ConnectError> {
        let failures_before = self.state.connections().failures;
        loop {
            // Listening begins before looking: room that is made in between is not missed.
            let mut changed = pin!(self.state.changed.notified());
            changed.as_mut().enable();
            match self.find(opener, failures_before)? {
                Availability::Leased(lease) => return Ok(lease),
                Availability::Connecting => changed.await,
                Availability::Exhausted => tokio::select! {
                    () = changed => {}
                    grant = self.grant(opener) => self.open_if_wanted(grant),
                },
            }
        }
    }

    /// The turn of the opener's app, and a permit of its share.
    async fn grant(&self, opener: &ConnectionOpener) -> OpenGrant {
        let connecting = Arc::clone(&opener.connect_limit).acquire_owned().await;
        OpenGrant {
            permit: self.state.connector.permits.acquire(&opener.owner).await,
            _connecting: connecting.ok(),
        }
    }

    /// What there is for a request; fails when opening the only connection failed since `failures_before`.
    fn find(
        self: &Arc<Self>,
        opener: &ConnectionOpener,
        failures_before: u64,
    ) -> Result<Availability, ConnectError> {
        let active = self.state.active_requests();
        let mut connections = self.state.connections();
        connections.used_at = Instant::now();
        connections.drop_closed();
        let Some((connection, use_count)) = connections.take(&self.limits) else {
            connections.check_failure(failures_before)?;
            return Ok(if connections.wants_more(true, active, &self.limits) {
                Availability::Exhausted
            } else {
                Availability::Connecting
            });
        };
        if connections.wants_more(false, active, &self.limits)
            && let Some(permit) = self.state.connector.permits.try_acquire(&opener.owner)
        {
            // It has a connection and waits for none, so this one does not count among those that its app waits for.
            let grant = OpenGrant {
                permit,
                _connecting: None,
            };
            self.start_connecting(&mut connections, grant);
        }
        let state = Arc::clone(&self.state);
        let lease = ConnectionLease::new(state, connection, use_count);
        Ok(Availability::Leased(lease))
    }

    /// Opens a connection unless others have, or have begun to, while the grant was waited for.
    fn open_if_wanted(self: &Arc<Self>, grant: OpenGrant) {
        let active = self.state.active_requests();
        let mut connections = self.state.connections();
        if connections.wants_more(true, active, &self.limits) {
            self.start_connecting(&mut connections, grant);
        }
    }

    fn start_connecting(self: &Arc<Self>, connections: &mut PoolConnections, grant: OpenGrant) {
        connections.connecting += 1;
        tokio::spawn(Arc::clone(self).open(grant));
    }

    async fn open(self: Arc<Self>, grant: OpenGrant) {
        let state = &self.state;
        let OpenGrant {
            permit,
            _connecting,
        } = grant;
        let opened = state.connector.open(&self.origin, permit).await;
        count_connection(opened.is_ok());
        if let Err(error) = &opened {
            tracing::debug!(host = %self.origin.host, %error, "no connection to a push service");
        }
        state.connections().opened(opened);
        state.make_room();
        state.changed.notify_waiters();
    }
}
