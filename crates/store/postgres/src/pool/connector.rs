//! How connections are made, and how those that have lain idle are looked at before somebody gets one: nobody shall get one that died
//! with its server, or whose server has become a standby.
//!
//! A host that loses power, or a firewall that forgets its connections, ends none of them: what is sent there is never answered, and
//! the kernel gives up a quarter of an hour later. One wait is enough to notice. Every connection that was idle then is replaced
//! without a question, and where the database was only slow for a moment that costs some new connections.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _, PgConnection, Row as _};
use tokio::runtime::Handle;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::failure::{LastLoss, answered, is_silence, may_pass_soon};
use crate::settings::PostgresSettings;

/// How long a connection may lie idle before it is asked whether it still stands.
const TRUSTED_IDLE_TIME: Duration = Duration::from_secs(1);

/// How long it has to answer at most. PostgreSQL needs no time for that; a packet that gets lost is sent again within some 200 ms, then
/// 400, then 800.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(2);

/// How long a connection is used: what its server process keeps of all that it has seen only grows.
const MAX_AGE: Duration = Duration::from_mins(30);

/// The wait before a server that does not take connections is asked again; it doubles each time.
const FIRST_RETRY_INTERVAL: Duration = Duration::from_millis(10);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// Makes connections for the pool.
#[derive(Debug)]
pub(crate) struct Connector {
    options: PgConnectOptions,
    /// Where the store was opened. What arrives on a connection is heard there, whoever has it, and what locks runs there: the threads of
    /// whoever asked for it may give way to others, who wait for what is locked.
    runtime: Handle,
    /// What every session begins with that stays one.
    setup: Option<Arc<str>>,
    last_loss: Arc<LastLoss>,
    /// Who waits for a connection has as much time left for a new one.
    answer_time: Duration,
}

/// A connection of the pool.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) connection: PgConnection,
    /// When it was given back.
    pub(crate) idle_since: Instant,
}

impl Connector {
    /// For a store that is opened in this runtime.
    pub(crate) fn new(
        options: PgConnectOptions,
        setup: Option<Arc<str>>,
        last_loss: Arc<LastLoss>,
        settings: &PostgresSettings,
    ) -> Self {
        Self {
            options,
            runtime: Handle::current(),
            setup,
            last_loss,
            answer_time: MAX_ANSWER_TIME.min(settings.acquire_timeout / 2),
        }
    }

    /// How it connects.
    pub(crate) const fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    /// Where transactions run, and connections are waited for that somebody left.
    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    async fn connect(&self) -> sqlx::Result<Session> {
        let beginning = begin_session(self.options.clone(), self.setup.clone());
        let beginning = AbortOnDropHandle::new(self.runtime.spawn(beginning));
        beginning
            .await
            .unwrap_or_else(|error| match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(sqlx::Error::PoolClosed),
            })
    }

    /// Whether the connection stands, and leads to a server that takes writes.
    async fn is_usable(&self, session: &mut Session) -> sqlx::Result<bool> {
        let idle_for = session.idle_since.elapsed();
        if self.last_loss.makes_silent(idle_for) {
            return Ok(false);
        }
        if idle_for <= TRUSTED_IDLE_TIME && !self.last_loss.makes_suspect(idle_for) {
            return Ok(true);
        }
        answered(self.answer_time, takes_writes(&mut session.connection)).await
    }
}

impl Manager for Connector {
    type Type = Session;
    type Error = sqlx::Error;

    /// A server that starts, or has no connection left, is asked again, for as long as the caller waits.
    async fn create(&self) -> sqlx::Result<Session> {
        let mut wait = FIRST_RETRY_INTERVAL;
        loop {
            match self.connect().await {
                Err(error) if may_pass_soon(&error) => sleep(wait).await,
                connected => {
                    // When one is lost that is being made, others may be as well.
                    return connected.inspect_err(|error| self.last_loss.record_loss(error));
                }
            }
            wait = MAX_RETRY_INTERVAL.min(wait * 2);
        }
    }

    /// One that is not to be used any more is dropped, which closes it without a word: with TLS, a farewell would wait for the peer's.
    async fn recycle(
        &self,
        session: &mut Session,
        metrics: &Metrics,
    ) -> RecycleResult<sqlx::Error> {
        if metrics.age() > MAX_AGE {
            return Err(RecycleError::message("it is old"));
        }
        match self.is_usable(session).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(RecycleError::message("it may be silent, or of a standby")),
            Err(error) => {
                if is_silence(&error) {
                    tracing::warn!(
                        "a connection to PostgreSQL fell silent; those idle since then are replaced"
                    );
                    self.last_loss.record_loss(&error);
                }
                Err(error.into())
            }
        }
    }
}

async fn begin_session(
    options: PgConnectOptions,
    setup: Option<Arc<str>>,
) -> sqlx::Result<Session> {
    let mut connection = options.connect().await?;
    if let Some(setup) = setup {
        connection.execute(AssertSqlSafe(setup)).await?;
    }
    Ok(Session {
        connection,
        idle_since: Instant::now(),
    })
}

async fn takes_writes(connection: &mut PgConnection) -> sqlx::Result<bool> {
    let rows = connection
        .fetch_one("SELECT NOT pg_is_in_recovery()")
        .await?;
    rows.try_get(0)
}
