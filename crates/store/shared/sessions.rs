//! Sessions.

use async_trait::async_trait;
use hato_domain::{AccountId, UnixMillis};
use hato_service::ports::{OpenSession, SessionRecord, SessionStore, StoreError};

use crate::Database;
use crate::accounts::AccountRow;
use crate::dialect::{DbConnection, readers, transaction};
use crate::error::with_context;

#[async_trait]
impl SessionStore for Database {
    async fn create_session(
        &self,
        token_hash: [u8; 32],
        account: AccountId,
        now: UnixMillis,
        expires_at: UnixMillis,
        browser: Option<String>,
    ) -> Result<(), StoreError> {
        transaction!(self, "make a session", |c| {
            let (token_hash, account) = (&token_hash[..], account.as_str());
            sqlx::query!(
                "INSERT INTO sessions (token_hash, account_id, created_at, expires_at, browser)
                 VALUES ($1, $2, $3, $4, $5)",
                token_hash,
                account,
                now.0,
                expires_at.0,
                browser
            )
            .execute(c)
            .await
            .map(drop)
        })
    }

    async fn renew_session(
        &self,
        token_hash: [u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        transaction!(self, "renew a session", |c| {
            let token_hash = &token_hash[..];
            sqlx::query!(
                "UPDATE sessions SET expires_at = $2 WHERE token_hash = $1",
                token_hash,
                expires_at.0
            )
            .execute(c)
            .await
            .map(drop)
        })
    }

    async fn session(
        &self,
        token_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<SessionRecord>, StoreError> {
        let (token_hash, now) = (&token_hash[..], now.0);
        let row = sqlx::query_as!(
            SessionRow,
            "SELECT s.expires_at, a.id, a.email, a.password_hash, a.plan, a.created_at
             FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.deleted_at IS NULL",
            token_hash,
            now
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(SessionRow::into_record).transpose())
            .map_err(with_context("find a session"))
    }

    async fn end_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        transaction!(self, "end a session", |c| {
            let token_hash = &token_hash[..];
            sqlx::query!("DELETE FROM sessions WHERE token_hash = $1", token_hash)
                .execute(c)
                .await
                .map(drop)
        })
    }

    async fn sessions_of(
        &self,
        account: &AccountId,
        now: UnixMillis,
        limit: i64,
    ) -> Result<Vec<OpenSession>, StoreError> {
        let (account, now) = (account.as_str(), now.0);
        let rows = sqlx::query_as!(
            OpenRow,
            "SELECT token_hash, browser, created_at, expires_at FROM sessions
             WHERE account_id = $1 AND expires_at > $2
             ORDER BY expires_at DESC, token_hash LIMIT $3",
            account,
            now,
            limit
        );
        rows.fetch_all(readers(self))
            .await
            .map(|rows| rows.into_iter().map(OpenRow::into_session).collect())
            .map_err(with_context("list sessions"))
    }

    async fn end_sessions(&self, account: &AccountId) -> Result<(), StoreError> {
        let account = account.clone();
        transaction!(self, "end an account's sessions", |c| end_sessions(
            c,
            account.as_str()
        )
        .await)
    }
}

struct OpenRow {
    token_hash: Vec<u8>,
    browser: Option<String>,
    created_at: i64,
    expires_at: i64,
}

impl OpenRow {
    fn into_session(self) -> OpenSession {
        OpenSession {
            token_hash: self.token_hash,
            browser: self.browser,
            created_at: UnixMillis(self.created_at),
            expires_at: UnixMillis(self.expires_at),
        }
    }
}

struct SessionRow {
    expires_at: i64,
    id: String,
    email: String,
    password_hash: Option<String>,
    plan: String,
    created_at: i64,
}

impl SessionRow {
    fn into_record(self) -> sqlx::Result<SessionRecord> {
        let account = AccountRow {
            id: self.id,
            email: self.email,
            password_hash: self.password_hash,
            plan: self.plan,
            created_at: self.created_at,
        };
        Ok(SessionRecord {
            account: account.into_record()?,
            expires_at: UnixMillis(self.expires_at),
        })
    }
}

/// Ends every session of the account.
pub(crate) async fn end_sessions(c: &mut DbConnection, account: &str) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM sessions WHERE account_id = $1", account)
        .execute(c)
        .await
        .map(drop)
}
