//! What a failure says about the transaction, and about the connections.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::app_turns::awaited_app;

/// Why an operation's changes were not kept, or may not have been.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// It failed, and nothing of it was kept.
    #[error(transparent)]
    Failed(sqlx::Error),
    /// The connection was lost while it committed.
    #[error("whether the transaction was committed is not known: {0}")]
    Unknown(sqlx::Error),
    /// It panicked, and nothing of it was kept.
    #[error("the operation panicked")]
    Panicked,
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

impl WriteError {
    /// The error for which nothing was kept, if that is known.
    pub(crate) fn undone_by(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Unknown(_) | Self::Panicked | Self::Closed => None,
        }
    }
}

/// A store that is open got no connection in time. Whether PostgreSQL gave none, or all were in use, the pool does not tell.
#[derive(Debug, thiserror::Error)]
#[error(
    "PostgreSQL at {address} gave no connection in time, or all {max_connections} of this process were in use (HATO_DATABASE_CONNECTIONS)"
)]
pub(crate) struct NoConnectionError {
    address: Box<str>,
    max_connections: u32,
}

impl NoConnectionError {
    /// At the address, which is without user and password.
    pub(crate) fn new(address: &str, max_connections: u32) -> Self {
        Self {
            address: address.into(),
            max_connections,
        }
    }
}

impl From<NoConnectionError> for sqlx::Error {
    fn from(error: NoConnectionError) -> Self {
        Self::Io(io::Error::new(io::ErrorKind::TimedOut, error))
    }
}

/// Whether no connection came in time, which is no reason to ask for another one.
pub(crate) fn is_without_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Io(error) => {
            let cause = error.get_ref();
            cause
                .and_then(|it| it.downcast_ref::<NoConnectionError>())
                .is_some()
        }
        _ => false,
    }
}

/// Whether PostgreSQL undid the transaction for another's sake: a serialization failure or a deadlock.
pub(crate) fn is_conflict(error: &sqlx::Error) -> bool {
    matches!(code(error).as_deref(), Some("40001" | "40P01"))
}

/// Whether the session ended: the network failed, PostgreSQL is shutting down (class 57P), starting up, or not the primary (25006; 0A000
/// when a transaction begins), so that another connection may lead to one that is, or the transaction was idle for too long (25P03), as
/// that of a process that was halted.
pub(crate) fn is_lost_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => !is_without_connection(error) && awaited_app(error).is_none(),
        sqlx::Error::Protocol(_) | sqlx::Error::BeginFailed => true,
        other => code(other).is_some_and(|code| {
            let is_other = matches!(&*code, "25006" | "0A000" | "25P03");
            code.starts_with("08") || code.starts_with("57P") || is_other
        }),
    }
}

/// The answer, or that the connection is lost when nothing has come for so long: when the network swallows everything, nobody says so.
pub(crate) async fn answered<T>(
    limit: Duration,
    answer: impl Future<Output = sqlx::Result<T>>,
) -> sqlx::Result<T> {
    let answer = timeout(limit, answer).await;
    answer.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Whether the server takes no connection yet, or has none left, as it is for a moment when it starts or another process ends.
pub(crate) fn may_pass_soon(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == io::ErrorKind::ConnectionRefused,
        error => code(error).is_some_and(|code| matches!(&*code, "53300" | "57P03")),
    }
}

/// Whether the connection did not end, and nothing came on it for as long as it was waited for.
pub(crate) fn is_silence(error: &sqlx::Error) -> bool {
    let is_timeout =
        matches!(error, sqlx::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut);
    is_timeout && !is_without_connection(error)
}

/// Whether a statement was to be on the session and is not, or is there already: it is another session than before, as behind a pooler
/// that lends them for a transaction each.
pub(crate) fn is_of_another_session(error: &sqlx::Error) -> bool {
    let Some(error) = error.as_database_error() else {
        return false;
    };
    match error.code().as_deref() {
        Some("26000" | "42P05") => true,
        Some("08P01") => error.message().contains("prepared statement"),
        _ => false,
    }
}

/// Whether PostgreSQL says that the transaction is not committed: an error that does not end the session.
pub(crate) fn is_undone(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some() && !is_lost_connection(error)
}

/// Whether somebody else held a lock for longer than it is waited for, as a table's is while the table is migrated.
pub(crate) fn is_locked_out(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some("55P03")
}

/// Whether PostgreSQL does not do this here (`feature_not_supported`).
pub(crate) fn is_unsupported(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some("0A000")
}

/// Whether a statement took longer than it may (`query_canceled`).
pub(crate) fn is_canceled(error: &sqlx::Error) -> bool {
    code(error).as_deref() == Some("57014")
}

/// Whether PostgreSQL refused what a statement holds (classes 22 and 23), or it could not be sent or read.
pub(crate) fn is_of_values(error: &sqlx::Error) -> bool {
    match code(error) {
        Some(code) => code.starts_with("22") || code.starts_with("23"),
        None => !is_lost_connection(error) && !is_without_connection(error),
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    let code = error.as_database_error()?.code()?;
    Some(code.into_owned())
}

/// When a connection was lost last: what has lain idle since then may be lost as well.
#[derive(Debug, Default)]
pub(crate) struct LastLoss(Mutex<LossTimes>);

#[derive(Clone, Copy, Debug, Default)]
struct LossTimes {
    any: Option<Instant>,
    by_silence: Option<Instant>,
}

impl LastLoss {
    /// Remembers the moment, if the failure is that of a connection.
    pub(crate) fn record_loss(&self, error: &sqlx::Error) {
        if is_lost_connection(error) {
            let now = Some(Instant::now());
            let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            times.any = now;
            if is_silence(error) {
                times.by_silence = now;
            }
        }
    }

    /// Whether a connection that has lain idle for so long was idle when another one was lost.
    pub(crate) fn makes_suspect(&self, idle_for: Duration) -> bool {
        is_within(self.times().any, idle_for)
    }

    /// Whether it was idle when another one fell silent: it would be as long a wait.
    pub(crate) fn makes_silent(&self, idle_for: Duration) -> bool {
        is_within(self.times().by_silence, idle_for)
    }

    fn times(&self) -> LossTimes {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_within(last: Option<Instant>, time: Duration) -> bool {
    last.is_some_and(|last| last.elapsed() <= time)
}

#[cfg(test)]
mod tests {
    use hato_testkit::TestDatabase;
    use sqlx::postgres::PgConnectOptions;
    use sqlx::{ConnectOptions as _, PgConnection};

    use super::is_of_another_session;

    async fn connect(database: &TestDatabase) -> PgConnection {
        let options: PgConnectOptions = database.url().parse().expect("a URL");
        // A pooler does not know this parameter.
        let connected = options.extra_float_digits(None).connect().await;
        connected.expect("connected")
    }

    /// What a statement that was to be prepared once says when its connection has another session by then.
    #[tokio::test]
    async fn a_pooler_is_recognised_by_statements_that_are_there_already_or_not_at_all() {
        let database = TestDatabase::empty_postgres().behind_pooler();
        let (mut one, mut other) = (connect(&database).await, connect(&database).await);
        let answered = sqlx::query("SELECT 1").execute(&mut one).await;
        answered.expect("its name is free");
        let error = sqlx::query("SELECT 2").execute(&mut other).await;
        let error = error.expect_err("its name is not");
        assert!(is_of_another_session(&error), "{error}");
        let begun = sqlx::raw_sql("BEGIN").execute(&mut other).await;
        begun.expect("which keeps the session");
        let error = sqlx::query("SELECT 1").execute(&mut one).await;
        let error = error.expect_err("it is on another session");
        assert!(is_of_another_session(&error), "{error}");
    }
}
