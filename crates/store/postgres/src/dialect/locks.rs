//! The locks that transactions take, so that those which rely on the same rows come one after the other.

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::GithubId;

use super::DbConnection;

/// Locks an app's row until the end of the transaction. Whoever changes the number of an app's active subscriptions together
/// with these locks the app first, so that two of them never wait for each other.
pub(crate) async fn lock_app(c: &mut DbConnection, app: &AppId) -> sqlx::Result<()> {
    c.take_turn(app.as_str())?;
    let locked = sqlx::query!(
        "SELECT id FROM apps WHERE id = $1 FOR NO KEY UPDATE",
        app.as_str()
    );
    locked.fetch_optional(c).await.map(drop)
}

/// Locks an app's row against all who rely on it: who has read it with `KEEP_APP`, or queued a job of it, ends first, and who reads
/// it afterwards finds it changed.
pub(crate) async fn lock_app_alone(c: &mut DbConnection, app: &str) -> sqlx::Result<()> {
    c.take_turn(app)?;
    sqlx::query!("SELECT id FROM apps WHERE id = $1 FOR UPDATE", app)
        .fetch_optional(c)
        .await
        .map(drop)
}

/// The same for all apps of an account.
pub(crate) async fn lock_apps_alone(c: &mut DbConnection, account: &str) -> sqlx::Result<()> {
    let locked = sqlx::query!(
        "SELECT id FROM apps WHERE account_id = $1 ORDER BY id FOR UPDATE",
        account
    );
    locked.fetch_all(c).await.map(drop)
}

/// Locks an app's webhook, the head of its outbox, until the end of the transaction. Who writes an event and who gives the outbox back
/// lock it before they look at the other's work, so that no event is left in an outbox that is not due. The app is kept first, as
/// those lock it who remove webhooks.
pub(crate) async fn lock_webhook(c: &mut DbConnection, app: &AppId) -> sqlx::Result<()> {
    let locked = sqlx::query!(
        "SELECT w.app_id FROM apps AS p JOIN webhooks AS w ON w.app_id = p.id
         WHERE p.id = $1 FOR KEY SHARE OF p FOR NO KEY UPDATE OF w",
        app.as_str()
    );
    locked.fetch_optional(c).await.map(drop)
}

/// Locks the jobs of a send that nobody has claimed, or whose lease has ended, and returns their ids. A claim that runs may queue the
/// rest of its broadcast, which the statement that waited for it does not see: so this goes on until a look finds no others than
/// those that are locked.
pub(crate) async fn lock_unclaimed_jobs(
    c: &mut DbConnection,
    send: &SendId,
    now: UnixMillis,
) -> sqlx::Result<Vec<i64>> {
    loop {
        let locked = sqlx::query_scalar!(
            "SELECT id FROM jobs WHERE send_id = $1 AND (claimed = 0 OR due_at <= $2)
             ORDER BY id FOR UPDATE",
            send.as_str(),
            now.0
        )
        .fetch_all(&mut *c)
        .await?;
        let unclaimed = sqlx::query_scalar!(
            "SELECT id FROM jobs WHERE send_id = $1 AND (claimed = 0 OR due_at <= $2) ORDER BY id",
            send.as_str(),
            now.0
        )
        .fetch_all(&mut *c)
        .await?;
        if locked == unclaimed {
            return Ok(locked);
        }
    }
}

/// Makes requests with the same idempotency key wait for each other until the end of the transaction: the second finds what the
/// first has saved. Two keys may share a lock, which only makes one wait for the other.
pub(crate) async fn lock_request(
    c: &mut DbConnection,
    app: &AppId,
    path: &str,
    key: &str,
) -> sqlx::Result<()> {
    lock_name(c, &request_name(app, path, key)).await
}

/// Makes logins of a GitHub user whom no account is linked to wait for each other until the end of the transaction: the second finds
/// the account that the first has linked.
pub(crate) async fn lock_github_user(c: &mut DbConnection, user: GithubId) -> sqlx::Result<()> {
    lock_name(c, &format!("github {}", user.0)).await
}

/// Makes who adds a listener to an app of the account wait for each other until the end of the transaction. Comes before [`lock_listeners`].
pub(crate) async fn lock_account_listeners(c: &mut DbConnection, app: &AppId) -> sqlx::Result<()> {
    let locked = sqlx::query!(
        "SELECT FROM apps, pg_advisory_xact_lock(hashtextextended('account listeners ' || account_id, 0)) WHERE id = $1",
        app.as_str()
    );
    locked.fetch_optional(c).await.map(drop)
}

/// Locks an app's listeners, against those who add one or write events for them, until the end of the transaction: a
/// sequence alone gives out numbers in another order than that of the commits.
pub(crate) async fn lock_listeners(c: &mut DbConnection, app: &AppId) -> sqlx::Result<()> {
    lock_name(c, &format!("listeners {}", app.as_str())).await
}

async fn lock_name(c: &mut DbConnection, name: &str) -> sqlx::Result<()> {
    let locked = sqlx::query!(
        "SELECT FROM pg_advisory_xact_lock(hashtextextended($1, 0))",
        name
    );
    locked.execute(c).await.map(drop)
}

/// What a lock of a request is made of.
pub(crate) fn request_name(app: &AppId, path: &str, key: &str) -> String {
    format!("{} {path} {key}", app.as_str())
}
