//! The connections: how a transaction begins, and how its statements reach PostgreSQL, directly or through a pooler.
//!
//! Behind a pooler that lends sessions for a transaction each (PgBouncer's transaction mode), nothing that belongs to a session holds:
//! neither settings nor prepared statements. There the settings go with every BEGIN, and a statement is sent without a name and always
//! within a transaction, since sqlx sends it in two parts that must reach the same session.
//!
//! A single read is over in a millisecond, a transaction waits for locks, for up to ten seconds, and for the disk. So that no number of
//! transactions keeps reads waiting, some connections are for reads alone.

mod executor;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::{Manager as _, Pool, PoolError, QueueMode};
use futures_util::future::join_all;
use futures_util::stream::TryStreamExt as _;
use sqlx::postgres::{
    PgArguments, PgConnectOptions, PgListener, PgPoolOptions, PgQueryResult, PgRow,
};
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Execute, Executor as _, PgConnection, Postgres, SqlStr,
};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app_turns::AppTurns;
use crate::connection::DbConnection;
use crate::failure::{
    LastLoss, NoConnectionError, answered, is_lost_connection, is_of_another_session,
};
use crate::open_error::PostgresOpenError;
use crate::pool::{Connector, PooledConnection};
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

/// A longer wait for a connection is reported.
const SLOW_WAIT: Duration = Duration::from_secs(2);

/// One of so many connections is for single reads alone.
const CONNECTIONS_FOR_EACH_OF_READS: u32 = 4;

/// The rows of a statement, and how many it changed.
type StatementResult = sqlx::Result<Vec<Either<PgQueryResult, PgRow>>>;

/// The pool, and how its connections are used. It runs single statements, each a transaction of its own.
///
/// sqlx's own pool asks PostgreSQL a question about each connection that is given back, on a task of its own, and whoever is next waits for
/// both: beside 1,000 strangers, 99 of 100 pages took 247 ms at most with it, and 112 ms without (`make soak`).
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    pool: Pool<Connector>,
    /// Those who have a connection.
    users: TaskTracker,
    /// Cancelled when no connection is given any more.
    pub(crate) closed: CancellationToken,
    /// Most of the process.
    limit: u32,
    acquire_timeout: Duration,
    /// The connections that are for more than a single read: all but those that are kept for these.
    shared: Arc<Semaphore>,
    last_loss: Arc<LastLoss>,
    pub(crate) app_turns: Arc<AppTurns>,
    /// Whether a session stays the same, so that it can be set up and keep statements.
    pub(crate) has_sessions: bool,
    /// Whether it was said that it does not.
    is_pooler_reported: Arc<AtomicBool>,
    /// How long an answer is waited for.
    pub(crate) answer_timeout: Duration,
    /// Where the database is, without user and password.
    address: Arc<str>,
    beginnings: Arc<Beginnings>,
}

/// How each kind of transaction begins.
#[derive(Debug)]
struct Beginnings {
    write: Arc<str>,
    read: Arc<str>,
    snapshot: Arc<str>,
    bounded_read: Arc<str>,
}

impl Beginnings {
    fn new(settings: &PostgresSettings) -> Self {
        let setup = if settings.prepared_statements {
            String::new()
        } else {
            format!("; {}", setup(settings, "SET LOCAL"))
        };
        Self {
            write: format!("{BEGIN}{setup}").into(),
            read: format!("{BEGIN_READ}{setup}").into(),
            snapshot: format!("{BEGIN_SNAPSHOT}{setup}").into(),
            bounded_read: format!("{BEGIN_READ}{setup}{BOUND}").into(),
        }
    }
}

impl Connections {
    /// Without any so far, for a store that is opened in this runtime; `address` names the database without user and password.
    pub(crate) fn new(
        options: PgConnectOptions,
        address: &str,
        settings: &PostgresSettings,
    ) -> Self {
        let has_sessions = settings.prepared_statements;
        let setup = has_sessions.then(|| session_setup(settings));
        let last_loss = Arc::new(LastLoss::default());
        let connector = Connector::new(options, setup, last_loss.clone(), settings);
        let listening = u32::from(settings.listen);
        let size = settings.max_connections.saturating_sub(listening).max(1);
        let for_reads = size / CONNECTIONS_FOR_EACH_OF_READS;
        let pool = Pool::builder(connector).max_size(size as usize);
        // The one that was idle for the shortest time need not be asked whether it still stands.
        let pool = pool.queue_mode(QueueMode::Lifo).build();
        Self {
            pool: pool.expect("a pool without time limits of its own"),
            users: TaskTracker::new(),
            closed: CancellationToken::new(),
            limit: settings.max_connections,
            acquire_timeout: settings.acquire_timeout,
            shared: Arc::new(Semaphore::new((size - for_reads) as usize)),
            last_loss,
            app_turns: Arc::new(AppTurns::new(settings.lock_timeout)),
            has_sessions,
            is_pooler_reported: Arc::default(),
            answer_timeout: settings.statement_timeout.max(settings.acquire_timeout) + ANSWER_DELAY,
            address: address.into(),
            beginnings: Arc::new(Beginnings::new(settings)),
        }
    }

    /// Where transactions that write run, whoever asked for them.
    pub(crate) fn runtime(&self) -> &Handle {
        self.pool.manager().runtime()
    }

    /// A connection of the pool, which the permit goes with.
    async fn acquire(&self, wait: ConnectionWait) -> sqlx::Result<PooledConnection> {
        let user = self.users.token();
        let session = timeout_at(wait.deadline, self.pool.get()).await;
        let session = session.map_err(|_| self.named(sqlx::Error::PoolTimedOut))?;
        let session = session.map_err(|error| match error {
            PoolError::Backend(error) => error,
            _ => sqlx::Error::PoolClosed,
        })?;
        if self.closed.is_cancelled() {
            return Err(sqlx::Error::PoolClosed);
        }
        wait.report_slow();
        let ending = (self.answer_timeout, &self.last_loss);
        Ok(PooledConnection::new(session, wait.permit, user, ending))
    }

    /// A connection beside those of the pool.
    pub(crate) async fn connect(&self) -> sqlx::Result<PgConnection> {
        let connected = timeout(self.acquire_timeout, self.pool.manager().create()).await;
        let connected = connected.map_err(|_| self.named(sqlx::Error::PoolTimedOut))?;
        Ok(connected?.connection)
    }

    /// A connection beside those of the pool, on which wake-ups are heard. Whoever leaves a silent one waits for nothing: its farewell is
    /// nobody else's matter.
    pub(crate) async fn listener(&self) -> sqlx::Result<PgListener> {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(self.acquire_timeout)
            .connect_lazy_with(self.pool.manager().options().clone());
        let connected = PgListener::connect_with(&pool).await;
        connected.map_err(|error| self.named(error))
    }

    /// Gives nobody a connection any more, and returns when those who have one have given it back, and all are closed.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        let idle = self.pool.retain(|_, _| false).removed.into_iter();
        self.pool.close();
        join_all(idle.map(|session| session.connection.close())).await;
        self.users.close();
        self.users.wait().await;
    }

    /// Says of which database and which setting it is when no connection came in time.
    fn named(&self, error: sqlx::Error) -> sqlx::Error {
        if !matches!(error, sqlx::Error::PoolTimedOut) {
            return error;
        }
        NoConnectionError::new(&self.address, self.limit).into()
    }

    /// A transaction that may write.
    pub(crate) async fn begin(&self) -> sqlx::Result<DbConnection> {
        self.begin_permitted(&self.beginnings.write).await
    }

    /// One that only reads.
    pub(crate) async fn begin_read(&self) -> sqlx::Result<DbConnection> {
        self.begin_reading(&self.beginnings.read).await
    }

    /// One that only reads, and whose statements all see what was committed before the first.
    pub(crate) async fn begin_snapshot(&self) -> sqlx::Result<DbConnection> {
        self.begin_reading(&self.beginnings.snapshot).await
    }

    /// One that only reads, and in which a statement that is still running in a second ends with an error.
    pub(crate) async fn begin_bounded_read(&self) -> sqlx::Result<DbConnection> {
        self.begin_reading(&self.beginnings.bounded_read).await
    }

    /// One that only reads; on another connection when the first one turns out to be lost, for nothing was done there.
    async fn begin_reading(&self, begin: &Arc<str>) -> sqlx::Result<DbConnection> {
        match self.begin_permitted(begin).await {
            Err(error) if is_lost_connection(&error) => self.begin_permitted(begin).await,
            result => result,
        }
    }

    async fn begin_permitted(&self, begin: &Arc<str>) -> sqlx::Result<DbConnection> {
        let wait = self.wait_for_permit().await?;
        self.begin_with(begin, wait).await
    }

    /// What a statement answers that only reads.
    pub(crate) async fn read(&self, text: SqlStr, arguments: PgArguments) -> StatementResult {
        let query = sqlx::query_with(text, arguments);
        self.run(&self.beginnings.read, query, self.wait()).await
    }

    /// What a statement answers that may write.
    async fn write<'q, E>(&self, query: E) -> StatementResult
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let wait = self.wait_for_permit().await?;
        self.run(&self.beginnings.write, query, wait).await
    }

    /// What a statement answers that stands alone: a transaction of its own, which needs a BEGIN only where sessions change.
    async fn run<'q, E>(&self, begin: &Arc<str>, query: E, wait: ConnectionWait) -> StatementResult
    where
        E: 'q + Execute<'q, Postgres>,
    {
        if self.has_sessions {
            let mut connection = self.acquire(wait).await?;
            let answers = connection.fetch_many(query).try_collect();
            let answers: StatementResult = answered(self.answer_timeout, answers).await;
            let answers = answers.inspect_err(|error| self.report_pooler(error));
            return connection.end(answers);
        }
        let mut connection = self.begin_with(begin, wait).await?;
        let answers: StatementResult = connection.fetch_many(query).try_collect().await;
        connection.end(answers).await
    }

    /// Says once that sessions do not stay the same, when a failure shows it.
    pub(crate) fn report_pooler(&self, error: &sqlx::Error) {
        let is_seen = self.has_sessions && is_of_another_session(error);
        if is_seen && !self.is_pooler_reported.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "{}", PostgresOpenError::TransactionPooler);
        }
    }

    /// The wait for any connection.
    fn wait(&self) -> ConnectionWait {
        let begun = Instant::now();
        ConnectionWait {
            begun,
            deadline: begun + self.acquire_timeout,
            permit: None,
        }
    }

    /// The same with the right to one of the shared connections; in vain as for who finds none.
    async fn wait_for_permit(&self) -> sqlx::Result<ConnectionWait> {
        let wait = self.wait();
        let permit = Arc::clone(&self.shared).acquire_owned();
        let permit = timeout_at(wait.deadline, permit).await;
        let permit = permit.map_err(|_| self.named(sqlx::Error::PoolTimedOut))?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok(ConnectionWait {
            permit: Some(permit),
            ..wait
        })
    }

    async fn begin_with(
        &self,
        begin: &Arc<str>,
        wait: ConnectionWait,
    ) -> sqlx::Result<DbConnection> {
        let mut connection = self.acquire(wait).await?;
        connection.enter_transaction();
        let begin = connection.execute(AssertSqlSafe(Arc::clone(begin)));
        if let Err(error) = answered(self.answer_timeout, begin).await {
            return connection.end(Err(error));
        }
        Ok(DbConnection::new(
            connection,
            self.has_sessions,
            self.answer_timeout,
            Arc::clone(&self.app_turns),
        ))
    }
}

/// Who waits for a connection.
struct ConnectionWait {
    begun: Instant,
    deadline: Instant,
    /// For more than a single read.
    permit: Option<OwnedSemaphorePermit>,
}

impl ConnectionWait {
    fn report_slow(&self) {
        let waited = self.begun.elapsed();
        if waited > SLOW_WAIT {
            tracing::warn!(
                ?waited,
                "a connection to PostgreSQL was waited for for long"
            );
        }
    }
}

/// What every session begins with that stays one.
fn session_setup(settings: &PostgresSettings) -> Arc<str> {
    let setup = setup(settings, "SET");
    format!("SET default_transaction_isolation = 'read committed'; {setup}").into()
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
