//! The connections to one push-service origin, and the requests that share them.
//!
//! HTTP/2 connections carry many requests each; another is opened when every one is nearly full. An HTTP/1.1 connection
//! carries one request and is kept for the next. Connections are opened in tasks of their own, so that a request which is
//! given up does not take the connection of the others with it; all who wait for the first one learn of its failure.

mod connections;
mod turn;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use crate::answer::Answer;
use crate::connection::{Http1, NoAnswer};
use crate::connector::{Connector, NoConnection};
use crate::origin::Origin;
use crate::push::Push;
use crate::settings::OriginLimits;
use connections::{Connections, Held};
use turn::Turn;

/// How often a request is moved to another connection because the one it was given had just died.
const TRIES: usize = 5;
/// How long an HTTP/1.1 connection may take to be ready for its next request.
const READY_PATIENCE: Duration = Duration::from_secs(1);

/// A push did not reach an answer.
#[derive(Debug, thiserror::Error)]
pub enum Undelivered {
    /// There is no connection.
    #[error(transparent)]
    NoConnection(#[from] NoConnection),
    /// There is no answer.
    #[error(transparent)]
    NoAnswer(#[from] NoAnswer),
}

/// The pool of one origin.
pub struct Pool {
    origin: Origin,
    connector: Arc<Connector>,
    limits: OriginLimits,
    requests: Semaphore,
    connections: Mutex<Connections>,
    changed: Notify,
}

impl Pool {
    /// An empty pool.
    pub fn new(origin: Origin, connector: Arc<Connector>, limits: OriginLimits) -> Self {
        Self {
            origin,
            connector,
            limits,
            requests: Semaphore::new(limits.requests),
            connections: Mutex::new(Connections::new(Instant::now())),
            changed: Notify::new(),
        }
    }

    /// Sends a push when its turn comes; from then on the push service has `patience` to answer.
    pub async fn send(
        self: &Arc<Self>,
        push: &Push,
        patience: Duration,
    ) -> Result<Answer, Undelivered> {
        let place = self
            .requests
            .acquire()
            .await
            .map_err(|_| NoAnswer::Unsent)?;
        let answer = self.try_send(push, patience).await;
        drop(place);
        self.make_room();
        answer
    }

    async fn try_send(
        self: &Arc<Self>,
        push: &Push,
        patience: Duration,
    ) -> Result<Answer, Undelivered> {
        for _ in 0..TRIES {
            let turn = self.turn().await?;
            match turn.exchange(push, Instant::now() + patience).await {
                Err(NoAnswer::Unsent) => {}
                answer => return Ok(answer?),
            }
        }
        Err(NoAnswer::Unsent.into())
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
        self.requests.available_permits() == self.limits.requests
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn turn(self: &Arc<Self>) -> Result<Turn, NoConnection> {
        let failures_before = self.connections().failures();
        loop {
            let changed = self.changed.notified();
            if let Some(turn) = self.try_turn(failures_before)? {
                return Ok(turn);
            }
            changed.await;
        }
    }

    /// A connection with room, or none yet; fails when opening the only one failed since `failures_before`.
    fn try_turn(self: &Arc<Self>, failures_before: u64) -> Result<Option<Turn>, NoConnection> {
        let mut connections = self.connections();
        connections.used_at = Instant::now();
        connections.drop_closed();
        let free = connections.take(&self.limits);
        if free.is_none() {
            connections.check_failure(failures_before)?;
        }
        if connections.wants_more(free.is_none(), &self.limits) {
            connections.opening += 1;
            tokio::spawn(Arc::clone(self).open());
        }
        Ok(free.map(|(connection, held)| Turn::new(Arc::clone(self), connection, held)))
    }

    async fn open(self: Arc<Self>) {
        let opened = self.connector.open(&self.origin).await;
        if let Err(error) = &opened {
            tracing::debug!(host = %self.origin.host(), %error, "no connection to a push service");
        }
        self.connections().opened(opened);
        self.make_room();
        self.changed.notify_waiters();
    }

    /// Takes an HTTP/1.1 connection back once it is ready for another request.
    async fn take_back(self: Arc<Self>, mut connection: Http1, held: Held) {
        let ready = tokio::time::timeout(READY_PATIENCE, connection.ready()).await;
        if matches!(ready, Ok(Ok(()))) {
            self.connections().keep(connection, held);
            self.make_room();
        }
        self.changed.notify_one();
    }
}
