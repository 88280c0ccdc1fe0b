//! Logins through GitHub: those that are on their way, and the accounts that are linked.

use async_trait::async_trait;
use hato_domain::{Email, UnixMillis};
use hato_service::ports::{AccountRecord, GithubId, GithubStore, PendingLogin, StoreError};

use crate::accounts::{AccountRow, insert};
use crate::dialect::{DbConnection, lock_github_user};
use crate::sessions::end_sessions;
use crate::transaction::transaction;
use crate::{Database, reviews};

#[async_trait]
impl GithubStore for Database {
    async fn begin_github_login(
        &self,
        login: PendingLogin,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        transaction!(self, "begin a login through GitHub", |c| {
            sqlx::query!("DELETE FROM github_logins WHERE expires_at <= $1", now.0)
                .execute(&mut *c)
                .await?;
            sqlx::query!(
                "INSERT INTO github_logins (state_hash, browser_hash, pkce_verifier, expires_at)
                 VALUES ($1, $2, $3, $4)",
                &login.state_hash[..],
                &login.browser_hash[..],
                login.pkce_verifier,
                login.expires_at.0
            )
            .execute(c)
            .await
            .map(drop)
        })
    }

    async fn take_github_login(
        &self,
        state_hash: [u8; 32],
        browser_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<String>, StoreError> {
        transaction!(self, "take a login through GitHub", |c| {
            sqlx::query_scalar!(
                r#"DELETE FROM github_logins
                   WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
                   RETURNING pkce_verifier AS "pkce_verifier!""#,
                &state_hash[..],
                &browser_hash[..],
                now.0
            )
            .fetch_optional(c)
            .await
        })
    }

    async fn account_of_github_user(
        &self,
        user: GithubId,
        email: Option<Email>,
        otherwise: Option<AccountRecord>,
        now: UnixMillis,
    ) -> Result<Option<AccountRecord>, StoreError> {
        transaction!(self, "find the account of a GitHub user", |c| {
            if let Some(known) = find_or_lock(c, user).await? {
                return Ok(Some(known));
            }
            // A new account takes its address first, if that is free: who has the address then is linked.
            let is_new = match otherwise {
                Some(account) => insert(c, &account).await?,
                None => false,
            };
            let Some(email) = email else {
                return Ok(None);
            };
            let linked = link(c, user, &email).await?;
            if let Some(account) = linked.as_ref().filter(|_| !is_new) {
                reviews::begin(c, &account.id, now).await?;
            }
            Ok(linked)
        })
    }
}

/// The account that is linked. If there is none, nobody else links one to this user before the end of the transaction.
async fn find_or_lock(c: &mut DbConnection, user: GithubId) -> sqlx::Result<Option<AccountRecord>> {
    if let Some(known) = find_linked(c, user).await? {
        return Ok(Some(known));
    }
    lock_github_user(c, user).await?;
    find_linked(c, user).await
}

async fn find_linked(c: &mut DbConnection, user: GithubId) -> sqlx::Result<Option<AccountRecord>> {
    sqlx::query_as!(
        AccountRow,
        "SELECT id, email, password_hash, plan, created_at FROM accounts WHERE github_id = $1",
        user.0
    )
    .try_map(AccountRow::into_record)
    .fetch_optional(c)
    .await
}

/// Links the account with this address, which GitHub has verified. Its password and sessions end: who chose the password never
/// proved the address, and neither did the holders of the sessions.
async fn link(
    c: &mut DbConnection,
    user: GithubId,
    email: &Email,
) -> sqlx::Result<Option<AccountRecord>> {
    let linked = sqlx::query_as!(
        AccountRow,
        r#"UPDATE accounts SET github_id = $1, password_hash = NULL WHERE email_folded = $2
           RETURNING id AS "id!", email AS "email!", password_hash, plan AS "plan!",
                     created_at AS "created_at!""#,
        user.0,
        email.folded()
    )
    .try_map(AccountRow::into_record)
    .fetch_optional(&mut *c)
    .await?;
    if let Some(account) = &linked {
        end_sessions(c, &account.id).await?;
    }
    Ok(linked)
}
