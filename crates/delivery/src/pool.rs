//! The connections to one push-service origin, and the requests that share them.
//!
//! HTTP/2 connections carry many requests each; another is opened when every one is nearly full. An HTTP/1.1 connection
//! carries one request and is kept for the next. Connections are opened in tasks of their own, so that a request which is
//! given up does not take the connection of the others with it; all who wait for the first one learn of its failure.
//! An app opens few at a time that it waits for, so that hosts which do not answer are a trouble of its own.

mod connections;
mod turn;

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::answer::Answer;
use crate::connection::{Http1, NoAnswer};
use crate::connector::{Connector, NoConnection};
use crate::gate::Closed;
use crate::openings::{Opener, Opening};
use crate::origin::Origin;
use crate::push::Push;
use crate::settings::OriginLimits;
use connections::{Connections, Held};
use turn::Turn;

/// How often a request is moved to another connection because the one it was given had just died.
const TRIES: usize = 5;
/// How long an HTTP/1.1 connection may take to be ready for its next request.
const READY_PATIENCE: Duration = Duration::from_secs(1);

/// How long a request that found no connection with room stays away.
const CROWDED: Duration = Duration::from_secs(1);

/// A push did not reach an answer.
#[derive(Debug, thiserror::Error)]
pub enum Undelivered {
    /// It was not sent.
    #[error(transparent)]
    Closed(#[from] Closed),
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
    /// Requests that want a connection or have one.
    users: AtomicUsize,
    connections: Mutex<Connections>,
    changed: Notify,
}

/// What a request finds.
enum Look {
    /// A connection with room.
    Turn(Turn),
    /// None with room, and as many in the making as there should be.
    Opening,
    /// None with room, and one should be opened.
    Nothing,
}

/// One of the requests that use a pool.
struct User<'a>(&'a Pool);

impl<'a> User<'a> {
    fn new(pool: &'a Pool) -> Self {
        pool.users.fetch_add(1, Ordering::Relaxed);
        Self(pool)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::Relaxed);
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
            users: AtomicUsize::new(0),
            connections: Mutex::new(Connections::new(Instant::now())),
            changed: Notify::new(),
        }
    }

    /// Sends a push when its turn comes; from its first turn on the push service has `patience` to answer.
    pub async fn send(
        self: &Arc<Self>,
        push: &Push,
        opener: &Opener,
        patience: Duration,
    ) -> Result<Answer, Undelivered> {
        let _user = User::new(self);
        let opened_by = Instant::now() + self.connector.patience();
        let mut answered_by = None;
        for _ in 0..TRIES {
            let turn = timeout_at(opened_by, self.turn(opener)).await;
            let turn = turn.map_err(|_| Closed::Busy(CROWDED))??;
            let deadline = *answered_by.get_or_insert_with(|| Instant::now() + patience);
            match turn.exchange(push, deadline).await {
                Err(NoAnswer::Unsent) => {}
                answer => return Ok(answer?),
            }
        }
        Err(NoAnswer::Unsent.into())
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
        self.users.load(Ordering::Relaxed) == 0
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn turn(self: &Arc<Self>, opener: &Opener) -> Result<Turn, NoConnection> {
        let failures_before = self.connections().failures();
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            match self.look(failures_before)? {
                Look::Turn(turn) => return Ok(turn),
                Look::Opening => changed.await,
                Look::Nothing => tokio::select! {
                    () = changed => {}
                    opening = opener.opening() => self.open_if_wanted(opening),
                },
            }
        }
    }

    /// What there is for a request; fails when opening the only connection failed since `failures_before`.
    fn look(self: &Arc<Self>, failures_before: u64) -> Result<Look, NoConnection> {
        let mut connections = self.connections();
        connections.used_at = Instant::now();
        connections.drop_closed();
        let Some((connection, held)) = connections.take(&self.limits) else {
            connections.check_failure(failures_before)?;
            let wants_more = connections.wants_more(true, self.wanted(), &self.limits);
            return Ok(if wants_more {
                Look::Nothing
            } else {
                Look::Opening
            });
        };
        if connections.wants_more(false, self.wanted(), &self.limits) {
            self.start_opening(&mut connections, None);
        }
        Ok(Look::Turn(Turn::new(Arc::clone(self), connection, held)))
    }

    fn wanted(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    /// Others may have opened one, or begun to, in the meantime.
    fn open_if_wanted(self: &Arc<Self>, opening: Option<Opening>) {
        let mut connections = self.connections();
        if connections.wants_more(true, self.wanted(), &self.limits) {
            self.start_opening(&mut connections, opening);
        }
    }

    fn start_opening(self: &Arc<Self>, connections: &mut Connections, opening: Option<Opening>) {
        connections.opening += 1;
        tokio::spawn(Arc::clone(self).open(opening));
    }

    async fn open(self: Arc<Self>, opening: Option<Opening>) {
        let opened = self.connector.open(&self.origin).await;
        drop(opening);
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
