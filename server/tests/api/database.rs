//! The server's database, seen and changed beside the server.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_testkit::server::HatoServer;
use sqlx::postgres::{PgConnection, Postgres};
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _, Decode, Type};
use tokio::time::{interval, timeout};

use crate::fixtures::{AUTH, P256DH, POLL_INTERVAL, WAIT_TIMEOUT};

/// A connection of the test's own.
pub enum DatabaseConnection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// A value that either database answers with.
pub trait SqlValue:
    for<'r> Decode<'r, Sqlite>
    + for<'r> Decode<'r, Postgres>
    + Type<Sqlite>
    + Type<Postgres>
    + Send
    + Unpin
{
}

impl SqlValue for i64 {}
impl SqlValue for String {}
impl SqlValue for Vec<u8> {}

impl DatabaseConnection {
    /// Connects to the server's database.
    pub async fn to(server: &HatoServer) -> Self {
        let database = server.database();
        if database.is_postgres() {
            let connection = PgConnection::connect(database.url()).await;
            Self::Postgres(connection.expect("a database"))
        } else {
            let connection = SqliteConnection::connect(database.url()).await;
            Self::Sqlite(connection.expect("a database"))
        }
    }

    /// Runs statements in the database, as nobody but the store does otherwise.
    pub async fn execute(&mut self, statements: &str) {
        let statements = sqlx::raw_sql(AssertSqlSafe(statements));
        let done = match self {
            Self::Sqlite(connection) => statements.execute(connection).await.map(drop),
            Self::Postgres(connection) => statements.execute(connection).await.map(drop),
        };
        done.expect("the statements work");
    }

    /// What a query of one column finds.
    pub async fn values<T: SqlValue>(&mut self, query: &str) -> Vec<T> {
        let query = AssertSqlSafe(query);
        let found = match self {
            Self::Sqlite(connection) => sqlx::query_scalar(query).fetch_all(connection).await,
            Self::Postgres(connection) => sqlx::query_scalar(query).fetch_all(connection).await,
        };
        found.expect("the query works")
    }

    /// What a transaction sees of other sessions of PostgreSQL stays as it was at its first look, until this.
    async fn look_anew(&mut self) {
        if let Self::Postgres(connection) = self {
            let cleared = sqlx::query("SELECT pg_stat_clear_snapshot()").execute(connection);
            cleared.await.expect("cleared");
        }
    }

    /// Waits until what a query counts is as many as that.
    pub async fn wait_for_count(&mut self, query: &str, is_enough: impl Fn(i64) -> bool) {
        let counting = async {
            let mut ticks = interval(POLL_INTERVAL);
            loop {
                self.look_anew().await;
                if is_enough(self.values(query).await[0]) {
                    return;
                }
                ticks.tick().await;
            }
        };
        let in_time = timeout(WAIT_TIMEOUT, counting).await;
        in_time.unwrap_or_else(|_| panic!("never enough: {query}"));
    }

    /// Ends what it holds.
    pub async fn close(self) {
        let closed = match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
        };
        closed.expect("it closes");
    }
}

/// Does something to the server's database that no request could.
pub async fn execute(server: &HatoServer, statements: &str) {
    let mut connection = DatabaseConnection::to(server).await;
    connection.execute(statements).await;
    connection.close().await;
}

/// What a query of one column finds in the server's database.
pub async fn values<T: SqlValue>(server: &HatoServer, query: &str) -> Vec<T> {
    let mut connection = DatabaseConnection::to(server).await;
    let values = connection.values(query).await;
    connection.close().await;
    values
}

/// What a query of one row and column finds in the server's database.
pub async fn value<T: SqlValue>(server: &HatoServer, query: &str) -> T {
    let found = values(server, query).await;
    found.into_iter().next().expect("a row")
}

/// In SQL, bytes that are others in each row.
pub fn random_bytes(server: &HatoServer) -> &'static str {
    if server.database().is_postgres() {
        "uuid_send(gen_random_uuid())"
    } else {
        "randomblob(16)"
    }
}

/// In SQL, these bytes.
pub fn bytes(server: &HatoServer, bytes: &[u8]) -> String {
    let digits = hex::encode(bytes);
    if server.database().is_postgres() {
        format!("decode('{digits}', 'hex')")
    } else {
        format!("x'{digits}'")
    }
}

/// Gives the only app that there is as many keys as an app may have, called `filled`.
pub async fn fill_keys(server: &HatoServer) {
    let random_bytes = random_bytes(server);
    let statement = format!(
        "WITH RECURSIVE filled (number) AS
            (SELECT COUNT(*) FROM api_keys UNION ALL SELECT number + 1 FROM filled WHERE number < 999)
        INSERT INTO api_keys (id, app_id, name, scope, hash, created_at)
        SELECT 'key_filled' || number, (SELECT id FROM apps), 'filled', 'notify', {random_bytes}, 0
        FROM filled"
    );
    execute(server, &statement).await;
}

/// Gives each app so many subscribers, at addresses that begin with `endpoint`: asking the API for each would take longer than any test.
pub async fn fill_subscriptions(server: &HatoServer, count: usize, endpoint: &str) {
    let decode = |text| URL_SAFE_NO_PAD.decode(text);
    let p256dh = bytes(server, &decode(P256DH).expect("base64url"));
    let auth = bytes(server, &decode(AUTH).expect("base64url"));
    let random = random_bytes(server);
    let statements = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
        INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position,
                                   created_at)
        SELECT 'sub_' || a.id || n, a.id, '{endpoint}' || n, {random}, {p256dh}, {auth}, n,
               1700000000000
        FROM apps AS a, numbers;
        UPDATE apps SET active_subscriptions = {count}, last_position = {count}"
    );
    execute(server, &statements).await;
}
