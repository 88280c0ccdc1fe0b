//! Logins through GitHub.

use async_trait::async_trait;
use hato_domain::{Email, UnixMillis};
use hato_service::ports::{
    AccountRecord, GithubId, GithubStore, NewAccount, PendingLogin, StoreError,
};

use crate::Database;
use crate::accounts::{AccountRow, insert};
use crate::dialect::{DbConnection, write};
use crate::sessions::end_sessions;

#[async_trait]
impl GithubStore for Database {
    async fn begin_github_login(
        &self,
        login: PendingLogin,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        write(self, "begin a login through GitHub", move |c| {
            Box::pin(begin(c, login, now))
        })
        .await
    }

    async fn take_github_login(
        &self,
        state_hash: [u8; 32],
        browser_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<String>, StoreError> {
        write(self, "take a login through GitHub", move |c| {
            Box::pin(take(c, state_hash, browser_hash, now))
        })
        .await
    }

    async fn account_of_github_user(
        &self,
        user: GithubId,
        email: Option<Email>,
        otherwise: Option<NewAccount>,
    ) -> Result<Option<AccountRecord>, StoreError> {
        write(self, "find the account of a GitHub user", move |c| {
            Box::pin(account_of(c, user, email, otherwise))
        })
        .await
    }
}

async fn begin(c: &mut DbConnection, login: PendingLogin, now: UnixMillis) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM github_logins WHERE expires_at <= $1", now.0)
        .execute(&mut *c)
        .await?;
    let (state, browser) = (&login.state_hash[..], &login.browser_hash[..]);
    sqlx::query!(
        "INSERT INTO github_logins (state_hash, browser_hash, pkce_verifier, expires_at)
         VALUES ($1, $2, $3, $4)",
        state,
        browser,
        login.pkce_verifier,
        login.expires_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn take(
    c: &mut DbConnection,
    state_hash: [u8; 32],
    browser_hash: [u8; 32],
    now: UnixMillis,
) -> sqlx::Result<Option<String>> {
    let (state, browser) = (&state_hash[..], &browser_hash[..]);
    sqlx::query_scalar!(
        r#"DELETE FROM github_logins
           WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3
           RETURNING pkce_verifier AS "pkce_verifier!""#,
        state,
        browser,
        now.0
    )
    .fetch_optional(c)
    .await
}

/// A new account takes its address first, if that is free: whoever has the address then is linked.
async fn account_of(
    c: &mut DbConnection,
    user: GithubId,
    email: Option<Email>,
    otherwise: Option<NewAccount>,
) -> sqlx::Result<Option<AccountRecord>> {
    if let Some(known) = by_github_id(c, user).await? {
        return known.into_record().map(Some);
    }
    if let Some(account) = otherwise {
        insert(c, account).await?;
    }
    match email {
        Some(email) => link(c, user, &email).await,
        None => Ok(None),
    }
}

async fn by_github_id(c: &mut DbConnection, user: GithubId) -> sqlx::Result<Option<AccountRow>> {
    sqlx::query_as!(
        AccountRow,
        "SELECT id, email, password_hash, plan, created_at FROM accounts WHERE github_id = $1",
        user.0
    )
    .fetch_optional(c)
    .await
}

/// Whoever chose the password never proved the address, and neither did the holders of sessions.
async fn link(
    c: &mut DbConnection,
    user: GithubId,
    email: &Email,
) -> sqlx::Result<Option<AccountRecord>> {
    let folded = email.folded();
    let linked = sqlx::query_as!(
        AccountRow,
        r#"UPDATE accounts SET github_id = $1, password_hash = NULL WHERE email_folded = $2
           RETURNING id AS "id!", email AS "email!", password_hash, plan AS "plan!",
                     created_at AS "created_at!""#,
        user.0,
        folded
    )
    .fetch_optional(&mut *c)
    .await?;
    let Some(account) = linked else {
        return Ok(None);
    };
    end_sessions(c, &account.id).await?;
    account.into_record().map(Some)
}
