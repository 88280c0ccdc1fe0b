//! Connections that have lain idle, before somebody gets one.
//!
//! A host that loses power, or a firewall that forgets its connections, ends none of them: what is sent there is never answered, and
//! the kernel gives up a quarter of an hour later. One wait is enough to notice. Every connection that was idle then is replaced
//! without a question, and where the database was only slow for a moment that costs some new connections.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

use super::set_up;
use crate::connection::answered;
use crate::failure::{LastLoss, is_silence};
use crate::settings::PostgresSettings;

/// How long a connection may lie idle before it is asked whether it still stands.
const TRUSTED_IDLE_TIME: Duration = Duration::from_secs(1);

/// How long it has to answer at most. PostgreSQL needs no time for that; a packet that gets lost is sent again within some 200 ms, then
/// 400, then 800.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(2);

/// What is to be known to look at a connection, and to replace it.
pub(super) struct IdleConnections {
    options: PgConnectOptions,
    setup: Option<Arc<str>>,
    last_loss: Arc<LastLoss>,
    /// Who waits for a connection has as much time left for a new one.
    answer_time: Duration,
}

impl IdleConnections {
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
        }
    }

    /// Whether the connection stands, or another one does in its place, and leads to a server that takes writes: nobody shall get one
    /// that died with its server, or whose server has become a standby.
    pub(super) async fn check(
        self: Arc<Self>,
        connection: &mut PgConnection,
        idle_for: Duration,
    ) -> sqlx::Result<bool> {
        if self.last_loss.makes_silent(idle_for) {
            return self.replace(connection).await;
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
                self.replace(connection).await
            }
            answer => answer,
        }
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
