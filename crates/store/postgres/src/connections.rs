//! The connections: how a transaction begins, and how its statements reach PostgreSQL, directly or through a pooler.
//!
//! Behind a pooler that lends sessions for a transaction each (PgBouncer's transaction mode), nothing that belongs to a session holds:
//! neither settings nor prepared statements. There the settings go with every BEGIN, and a statement is sent without a name and always
//! within a transaction, since sqlx sends it in two parts that must reach the same session.

mod executor;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::TryStreamExt as _;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow};
use sqlx::{AssertSqlSafe, Either, Execute, Executor as _, PgPool, Postgres, SqlStr};

use crate::app_turns::AppTurns;
use crate::connection::{DbConnection, answered};
use crate::failure::{LastLoss, NoConnectionError, is_of_another_session};
use crate::open_error::PostgresOpenError;
use crate::settings::PostgresSettings;

/// How a transaction begins, whatever somebody has made the default of the database.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL READ COMMITTED, READ ONLY";
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// A read whose cost grows with what a tenant has stored may take a second.
const BOUND: &str = "; SET LOCAL statement_timeout = 1000";

/// How much longer than PostgreSQL may take for a statement its answer is waited for.
const ANSWER_DELAY: Duration = Duration::from_secs(5);

/// How long a transaction may wait for its process between two statements. A process that was halted holds its locks no longer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// The rows of a statement, and how many it changed.
type StatementResult = sqlx::Result<Vec<Either<PgQueryResult, PgRow>>>;

/// The pool, and how its connections are used. It runs single statements, each a transaction of its own.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    pub(crate) pool: PgPool,
    pub(crate) last_loss: Arc<LastLoss>,
    pub(crate) app_turns: Arc<AppTurns>,
    /// Whether a session stays the same, so that it can be set up and keep statements.
    pub(crate) has_sessions: bool,
    /// Whether it was said that it does not.
    is_pooler_reported: Arc<AtomicBool>,
    /// How long an answer is waited for.
    pub(crate) answer_timeout: Duration,
    /// Where the database is, without user and password.
    address: Arc<str>,
    begin: Arc<str>,
    begin_read: Arc<str>,
    begin_snapshot: Arc<str>,
    begin_bounded_read: Arc<str>,
}

impl Connections {
    pub(crate) fn new(
        (pool, address): (PgPool, &str),
        last_loss: Arc<LastLoss>,
        settings: &PostgresSettings,
    ) -> Self {
        let has_sessions = settings.prepared_statements;
        let setup = if has_sessions {
            String::new()
        } else {
            format!("; {}", setup(settings, "SET LOCAL"))
        };
        Self {
            pool,
            last_loss,
            app_turns: Arc::new(AppTurns::new(settings.lock_timeout)),
            has_sessions,
            is_pooler_reported: Arc::default(),
            answer_timeout: settings.statement_timeout.max(settings.acquire_timeout) + ANSWER_DELAY,
            address: address.into(),
            begin: format!("{BEGIN}{setup}").into(),
            begin_read: format!("{BEGIN_READ}{setup}").into(),
            begin_snapshot: format!("{BEGIN_SNAPSHOT}{setup}").into(),
            begin_bounded_read: format!("{BEGIN_READ}{setup}{BOUND}").into(),
        }
    }

    /// A connection of the pool.
    pub(crate) async fn acquire(&self) -> sqlx::Result<PoolConnection<Postgres>> {
        let acquired = self.pool.acquire().await;
        acquired.map_err(|error| self.named(error))
    }

    /// Says of which database and which setting it is when no connection came in time.
    pub(crate) fn named(&self, error: sqlx::Error) -> sqlx::Error {
        if !matches!(error, sqlx::Error::PoolTimedOut) {
            return error;
        }
        let max_connections = self.pool.options().get_max_connections();
        NoConnectionError::new(&self.address, max_connections).into()
    }

    /// A transaction that may write.
    pub(crate) async fn begin(&self) -> sqlx::Result<DbConnection> {
        self.begin_with(&self.begin).await
    }

    /// One that only reads.
    pub(crate) async fn begin_read(&self) -> sqlx::Result<DbConnection> {
        self.begin_with(&self.begin_read).await
    }

    /// One that only reads, and whose statements all see what was committed before the first.
    pub(crate) async fn begin_snapshot(&self) -> sqlx::Result<DbConnection> {
        self.begin_with(&self.begin_snapshot).await
    }

    /// One that only reads, and in which a statement that is still running in a second ends with an error.
    pub(crate) async fn begin_bounded_read(&self) -> sqlx::Result<DbConnection> {
        self.begin_with(&self.begin_bounded_read).await
    }

    /// What a statement answers that only reads.
    pub(crate) async fn read(&self, text: SqlStr, arguments: PgArguments) -> StatementResult {
        self.run(&self.begin_read, sqlx::query_with(text, arguments))
            .await
    }

    /// What a statement answers that stands alone: a transaction of its own, which needs a BEGIN only where sessions change.
    async fn run<'q, E>(&self, begin: &Arc<str>, query: E) -> StatementResult
    where
        E: 'q + Execute<'q, Postgres>,
    {
        if self.has_sessions {
            let mut connection = self.acquire().await?;
            return self
                .in_time(connection.fetch_many(query).try_collect())
                .await;
        }
        let mut connection = self.begin_with(begin).await?;
        let answers = self.in_time(connection.fetch_many(query).try_collect());
        let answers = answers.await?;
        self.in_time(connection.commit()).await?;
        Ok(answers)
    }

    /// What comes of it, or that the connection is lost when nothing has come for longer than PostgreSQL may take.
    pub(crate) async fn in_time<T>(
        &self,
        answer: impl Future<Output = sqlx::Result<T>>,
    ) -> sqlx::Result<T> {
        let answer = answered(self.answer_timeout, answer).await;
        answer.inspect_err(|error| self.record_loss(error))
    }

    /// Draws the conclusions from a failure: what else may be lost, and that sessions change.
    pub(crate) fn record_loss(&self, error: &sqlx::Error) {
        self.last_loss.record_loss(error);
        self.report_pooler(error);
    }

    /// Says once that sessions do not stay the same, when a failure shows it.
    fn report_pooler(&self, error: &sqlx::Error) {
        let is_seen = self.has_sessions && is_of_another_session(error);
        if is_seen && !self.is_pooler_reported.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "{}", PostgresOpenError::TransactionPooler);
        }
    }

    async fn begin_with(&self, begin: &Arc<str>) -> sqlx::Result<DbConnection> {
        let begin = AssertSqlSafe(Arc::clone(begin));
        let transaction = self.in_time(self.pool.begin_with(begin)).await;
        let transaction = transaction.map_err(|error| self.named(error))?;
        Ok(DbConnection::new(
            transaction,
            self.has_sessions,
            self.answer_timeout,
            Arc::clone(&self.app_turns),
        ))
    }
}

/// What a session, or a transaction where sessions change, begins with; `set` is the command, `SET` or `SET LOCAL`. Whoever has
/// chosen to wait for more than `on` does keeps that; who has chosen to wait for less does not, nor when they do so later, for what was
/// accepted must not be lost. Every
/// statement has an index that serves it; while a table is small PostgreSQL would plan to read all of it, and keep that plan when it
/// has grown, until somebody renews its statistics. Times are in milliseconds.
pub(crate) fn setup(settings: &PostgresSettings, set: &str) -> String {
    let is_local = set == "SET LOCAL";
    let mut setup = format!(
        "SELECT set_config('synchronous_commit', 'on', {is_local})
         WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write', 'on');
         {set} enable_seqscan = off; {set} jit = off"
    );
    for (name, time) in [
        ("statement_timeout", settings.statement_timeout),
        ("lock_timeout", settings.lock_timeout),
        ("idle_in_transaction_session_timeout", IDLE_TIMEOUT),
    ] {
        // Writing to a string cannot fail.
        let _ = write!(setup, "; {set} {name} = {}", time.as_millis());
    }
    setup
}
