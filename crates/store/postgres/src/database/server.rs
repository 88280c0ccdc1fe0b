//! A look at the server, or at the pooler before it, that a database is to be opened on.

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use tokio::time::timeout;
use uuid::Uuid;

use crate::open_error::OLDEST_VERSION;
use crate::settings::PostgresSettings;

/// What is known of a server before there is a pool.
pub(super) struct ServerInfo {
    pub(super) version: Option<u32>,
    /// Whether its sessions are lent for a transaction each.
    pub(super) lends_sessions: bool,
}

/// Connects once or twice, and asks what is to be known. A pool would try again and again and say in the end that it took too long; this
/// failure says why.
pub(super) async fn inspect(
    options: &PgConnectOptions,
    settings: &PostgresSettings,
) -> sqlx::Result<ServerInfo> {
    let asking = async {
        let connection = PgConnection::connect_with(options).await?;
        let version = connection.server_version_num();
        let is_too_old = version.is_some_and(|version| version < OLDEST_VERSION);
        let lends_sessions = if settings.prepared_statements && !is_too_old {
            lends_sessions(connection, options).await?
        } else {
            connection.close().await.ok();
            false
        };
        Ok(ServerInfo {
            version,
            lends_sessions,
        })
    };
    let asked = timeout(settings.acquire_timeout, asking).await;
    asked.map_err(|_| sqlx::Error::PoolTimedOut)?
}

/// Whether what one connection has set is still there on the next one, as behind a pooler that lends sessions for a transaction each.
/// Where others use them at the same time it may go unseen; then the first statement that fails tells.
async fn lends_sessions(mut first: PgConnection, options: &PgConnectOptions) -> sqlx::Result<bool> {
    let mark = Uuid::now_v7();
    let set = format!("SELECT set_config('hato.session', '{mark}', false)");
    first.execute(AssertSqlSafe(set)).await?;
    first.close().await.ok();
    let mut second = PgConnection::connect_with(options).await?;
    let compare = format!("SELECT COALESCE(current_setting('hato.session', true), '') = '{mark}'");
    let is_marked = second.fetch_one(AssertSqlSafe(compare)).await?.try_get(0);
    second.close().await.ok();
    is_marked
}
