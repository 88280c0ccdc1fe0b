//! Which transactions are run again, and which never.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hato_testkit::TestDatabase;
use sqlx::PgPool;

use super::{MAX_RUNS, WriteError, run};
use crate::connection::DbConnection;
use crate::connections::Connections;
use crate::settings::PostgresSettings;

const UNDONE: &str = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$";
const DEADLOCK: &str = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END $$";
/// As PgBouncer says that it has no session to lend.
const NO_SESSION: &str = "DO $$ BEGIN
    RAISE EXCEPTION USING ERRCODE = '08P01', MESSAGE = 'query_wait_timeout'; END $$";
const CUT: &str = "SELECT pg_terminate_backend(pg_backend_pid())";
const WRONG: &str = "SELECT 1 / 0";

/// Whoever commits an insertion loses the connection while it commits.
const CUT_AT_COMMIT: &str = "
    CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION cut();";

struct Log {
    database: TestDatabase,
    connections: Connections,
    runs: Arc<AtomicU32>,
}

impl Log {
    fn new() -> Self {
        let database = TestDatabase::empty_postgres();
        database.execute("CREATE TABLE log (n BIGINT)");
        let options = database.url().parse().expect("an address");
        let settings = PostgresSettings::default();
        Self {
            database,
            connections: Connections::new(options, "", &settings),
            runs: Arc::default(),
        }
    }

    /// Writes a row, then runs the statement as often as said.
    async fn write(&self, statement: &'static str, times: u32) -> Result<(), WriteError> {
        let runs = Arc::clone(&self.runs);
        run(&self.connections, insert(runs, statement, times)).await
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::Relaxed)
    }

    async fn rows(&self) -> i64 {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM log");
        let fresh = PgPool::connect(self.database.url()).await.expect("a pool");
        count.fetch_one(&fresh).await.expect("counted")
    }
}

fn insert(
    runs: Arc<AtomicU32>,
    statement: &'static str,
    times: u32,
) -> impl for<'c> FnOnce(&'c mut DbConnection) -> BoxFuture<'c, sqlx::Result<()>> + Clone {
    move |c| {
        Box::pin(async move {
            let insertion = sqlx::query("INSERT INTO log VALUES (1)");
            insertion.execute(&mut *c).await?;
            if runs.fetch_add(1, Ordering::Relaxed) < times {
                sqlx::raw_sql(statement).execute(c).await?;
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn what_was_undone_or_lost_before_its_commit_is_run_again_and_done_once() {
    for statement in [UNDONE, DEADLOCK, NO_SESSION, CUT] {
        let log = Log::new();
        log.write(statement, 2).await.expect("the third run");
        assert_eq!((log.runs(), log.rows().await), (3, 1), "{statement}");
    }
}

/// Its statements take longer together than one answer may.
#[tokio::test]
async fn an_operation_takes_as_long_as_its_answers_come() {
    let mut log = Log::new();
    log.connections.answer_timeout = Duration::from_secs(4);
    let runs = Arc::clone(&log.runs);
    let slow = run(&log.connections, move |c| {
        Box::pin(async move {
            runs.fetch_add(1, Ordering::Relaxed);
            for _ in 0..5 {
                sqlx::raw_sql("SELECT pg_sleep(1)").execute(&mut *c).await?;
            }
            Ok(())
        })
    });
    slow.await.expect("each answer has come in time");
    assert_eq!(log.runs(), 1);
}

#[tokio::test]
async fn what_never_succeeds_ends() {
    let log = Log::new();
    let failed = log.write(UNDONE, u32::MAX).await;
    assert!(matches!(failed, Err(WriteError::Failed(_))));
    assert_eq!((log.runs(), log.rows().await), (MAX_RUNS, 0));
}

#[tokio::test]
async fn a_failure_of_its_own_is_not_run_again() {
    let log = Log::new();
    let failed = log.write(WRONG, 1).await;
    assert!(matches!(failed, Err(WriteError::Failed(_))));
    assert_eq!((log.runs(), log.rows().await), (1, 0));
}

#[tokio::test]
async fn a_commit_whose_outcome_is_unknown_is_an_error_and_not_run_again() {
    let log = Log::new();
    log.database.execute(CUT_AT_COMMIT);
    let unknown = log.write("", 0).await;
    assert!(
        matches!(unknown, Err(WriteError::Unknown(_))),
        "{unknown:?}"
    );
    assert_eq!(log.runs(), 1);
}
