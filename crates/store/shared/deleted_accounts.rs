//! Deleting accounts: gone for everybody at once, like their apps, whose rows are removed first.

use hato_domain::{AccountId, UnixMillis};

use crate::deleted_apps::mark_all_deleted;
use crate::dialect::DbConnection;
use crate::sessions::end_sessions;

/// Marks the account and its apps, forgets who it was and ends its sessions; `false` when there is no such account.
pub(crate) async fn mark_deleted(
    c: &mut DbConnection,
    account: &AccountId,
    now: UnixMillis,
) -> sqlx::Result<bool> {
    if !forget(c, account, now).await? {
        return Ok(false);
    }
    end_sessions(c, account).await?;
    mark_all_deleted(c, account, now).await?;
    Ok(true)
}

/// Takes everything off the account by which somebody could be found. Its id stands for its address, which must be one of a kind
/// and becomes free for another account: no address is an id, so nobody finds the account by it.
async fn forget(c: &mut DbConnection, account: &AccountId, now: UnixMillis) -> sqlx::Result<bool> {
    let marked = sqlx::query!(
        "UPDATE accounts
         SET deleted_at = $2, email = '', email_folded = id, password_hash = NULL, github_id = NULL
         WHERE id = $1 AND deleted_at IS NULL",
        account.as_str(),
        now.0
    )
    .execute(c)
    .await?;
    Ok(marked.rows_affected() == 1)
}
