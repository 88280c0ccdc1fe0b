//! The locks that transactions take on databases with several writers. SQLite has one, so they are nothing here.

use futures_util::future::{Ready, ready};
use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::GithubId;

use super::DbConnection;

/// Locks an app's row until the end of the transaction. Whoever changes the number of an app's active subscriptions together
/// with these locks the app first, so that two of them never wait for each other. Here there is one writer, and nothing to
/// lock.
pub(crate) fn lock_app(_: &mut DbConnection, _: &AppId) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Locks an app's row against all who rely on it, as those do who have read it with `KEEP_APP`. Here there is nothing to lock.
pub(crate) fn lock_app_alone(_: &mut DbConnection, _: &str) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// The same for all apps of an account.
pub(crate) fn lock_apps_alone(_: &mut DbConnection, _: &str) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Locks an app's webhook, the head of its outbox, until the end of the transaction. Who writes an event and who gives the outbox back
/// lock it before they look at the other's work. Here there is nothing to lock.
pub(crate) fn lock_webhook(_: &mut DbConnection, _: &AppId) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Makes who adds a listener to an app of the account wait for each other until the end of the transaction, as every transaction does here.
pub(crate) fn lock_account_listeners(_: &mut DbConnection, _: &AppId) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Locks an app's listeners, against those who add one or write events for them, until the end of the transaction. Here every
/// transaction waits for the one before.
pub(crate) fn lock_listeners(_: &mut DbConnection, _: &AppId) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Locks the jobs of a send that nobody has claimed, or whose lease has ended, and returns their ids. Here there is nothing to lock.
pub(crate) async fn lock_unclaimed_jobs(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE send_id = $1 AND (claimed = 0 OR due_at <= $2)",
        send.as_str(),
        now.0
    )
    .fetch_all(c)
    .await
}

/// Makes requests with the same idempotency key wait for each other until the end of the transaction: the second finds what the
/// first has saved. Here every transaction waits for the one before.
pub(crate) fn lock_request(
    _: &mut DbConnection,
    _: &AppId,
    _: &str,
    _: &str,
) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}

/// Makes logins of a GitHub user whom no account is linked to wait for each other until the end of the transaction. Here every
/// transaction waits for the one before.
pub(crate) fn lock_github_user(_: &mut DbConnection, _: GithubId) -> Ready<sqlx::Result<()>> {
    ready(Ok(()))
}
