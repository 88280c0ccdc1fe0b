//! Whether connections still stand: those that have lain idle, before somebody gets one, and those that are given back.
//!
//! A host that loses power, or a firewall that forgets its connections, ends none of them: what is sent there is never answered, and
//! the kernel gives up a quarter of an hour later. One wait is enough to notice. Every connection that was idle then is replaced
//! without a question, and where the database was only slow for a moment that costs some new connections.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::set_up;
use crate::connection::answered;
use crate::failure::{LastLoss, is_silence};
use crate::settings::PostgresSettings;

/// How long a connection may lie idle before it is asked whether it still stands.
const TRUSTED_IDLE_TIME: Duration = Duration::from_secs(1);

/// How long it has to answer at most. PostgreSQL needs no time for that; a packet that gets lost is sent again within some 200 ms, then
/// 400, then 800.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(2);

/// How long after the loss of a connection those that are given back are suspected.
const RELEASE_SUSPICION: Duration = Duration::from_mins(2);

/// How long such a connection has to answer.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a new one in its place is tried, and how many times: for about as long as the kernel would take to give the old one up.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(5);
const MAX_RECONNECTS: u32 = 90;

/// The wait before another connection is tried for somebody who waits for one.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// What is to be known to look at a connection, and to replace it.
pub(super) struct ConnectionCheck {
    options: PgConnectOptions,
    setup: Option<Arc<str>>,
    last_loss: Arc<LastLoss>,
    /// Who waits for a connection has as much time left for a new one.
    answer_time: Duration,
    /// How long a new one may take.
    connect_time: Duration,
}

impl ConnectionCheck {
    pub(super) fn new(
        options: PgConnectOptions,
        setup: Option<Arc<str>>,
        last_loss: Arc<LastLoss>,
        settings: &PostgresSettings,
    ) -> Self {
        Self {
            options,
            setup,
            last_loss,
            answer_time: MAX_ANSWER_TIME.min(settings.acquire_timeout / 2),
            connect_time: settings.acquire_timeout,
        }
    }

    /// Whether the connection that has lain idle stands, or another one does in its place, and leads to a server that takes writes: nobody shall get one
    /// that died with its server, or whose server has become a standby.
    pub(super) async fn check_idle(
        self: Arc<Self>,
        connection: &mut PgConnection,
        idle_for: Duration,
    ) -> sqlx::Result<bool> {
        if self.last_loss.makes_silent(idle_for) {
            return self.replace_while_waited_for(connection).await;
        }
        if idle_for <= TRUSTED_IDLE_TIME && !self.last_loss.makes_suspect(idle_for) {
            return Ok(true);
        }
        match answered(self.answer_time, takes_writes(connection)).await {
            Err(error) if is_silence(&error) => {
                tracing::warn!(
                    "a connection to PostgreSQL fell silent; those idle since then are replaced"
                );
                self.last_loss.record_loss(&error);
                self.replace_while_waited_for(connection).await
            }
            answer => answer,
        }
    }

    /// Asks a connection that is given back whether it still stands, when one has been lost lately: the pool would wait for its answer
    /// without an end. One that is silent keeps its place in the pool until another one has it, since closing it may take as long.
    pub(super) async fn check_released(
        self: Arc<Self>,
        connection: &mut PgConnection,
    ) -> sqlx::Result<bool> {
        if !self.last_loss.makes_suspect(RELEASE_SUSPICION) {
            return Ok(true);
        }
        match answered(RELEASE_TIMEOUT, connection.ping()).await {
            Err(error) if is_silence(&error) => self.replace_in_time(connection).await,
            answer => answer.map(|()| true),
        }
    }

    /// Whoever waits for the connection gives up in time. That ends this as well, and the connection with it; a failure would not, for the
    /// pool would close it first.
    async fn replace_while_waited_for(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        loop {
            if let Ok(is_replaced) = self.replace(connection).await {
                return Ok(is_replaced);
            }
            sleep(RETRY_INTERVAL).await;
        }
    }

    async fn replace_in_time(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        tracing::warn!("a connection to PostgreSQL fell silent in use; it is replaced");
        let mut tries = interval(RECONNECT_INTERVAL);
        tries.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for _ in 1..MAX_RECONNECTS {
            tries.tick().await;
            let replaced = answered(self.connect_time, self.replace(connection)).await;
            if replaced.is_ok() {
                return replaced;
            }
        }
        answered(self.connect_time, self.replace(connection)).await
    }

    /// Puts a new connection into its place. The pool would close the old one first, and with TLS it waits for what a silent server
    /// says to that; one that is dropped is gone at once.
    async fn replace(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        let mut new = PgConnection::connect_with(&self.options).await?;
        set_up(self.setup.clone(), &mut new).await?;
        *connection = new;
        Ok(true)
    }
}

async fn takes_writes(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let rows = connection
        .fetch_one("SELECT NOT pg_is_in_recovery()")
        .await?;
    rows.try_get(0)
}
