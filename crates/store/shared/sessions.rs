//! Sessions.

use async_trait::async_trait;
use hato_domain::{AccountId, UnixMillis};
use hato_service::ports::{SessionRecord, SessionStore, StoreError};

use crate::Database;
use crate::accounts::AccountRow;
use crate::dialect::{Connection, readers, write};
use crate::failure::during;

#[async_trait]
impl SessionStore for Database {
    async fn create_session(
        &self,
        token_hash: [u8; 32],
        account: AccountId,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        write(self, "make a session", move |c| {
            Box::pin(create(c, token_hash, account, now, expires_at))
        })
        .await
    }

    async fn renew_session(
        &self,
        token_hash: [u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        write(self, "renew a session", move |c| {
            Box::pin(renew(c, token_hash, expires_at))
        })
        .await
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
             WHERE s.token_hash = $1 AND s.expires_at > $2",
            token_hash,
            now
        );
        row.fetch_optional(readers(self))
            .await
            .and_then(|row| row.map(SessionRow::into_record).transpose())
            .map_err(during("find a session"))
    }

    async fn end_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        write(self, "end a session", move |c| Box::pin(end(c, token_hash))).await
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

async fn create(
    c: &mut Connection,
    token_hash: [u8; 32],
    account: AccountId,
    now: UnixMillis,
    expires_at: UnixMillis,
) -> sqlx::Result<()> {
    let (token_hash, account) = (&token_hash[..], account.as_str());
    sqlx::query!(
        "INSERT INTO sessions (token_hash, account_id, created_at, expires_at)
         VALUES ($1, $2, $3, $4)",
        token_hash,
        account,
        now.0,
        expires_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn renew(
    c: &mut Connection,
    token_hash: [u8; 32],
    expires_at: UnixMillis,
) -> sqlx::Result<()> {
    let token_hash = &token_hash[..];
    sqlx::query!(
        "UPDATE sessions SET expires_at = $2 WHERE token_hash = $1",
        token_hash,
        expires_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

async fn end(c: &mut Connection, token_hash: [u8; 32]) -> sqlx::Result<()> {
    let token_hash = &token_hash[..];
    sqlx::query!("DELETE FROM sessions WHERE token_hash = $1", token_hash)
        .execute(c)
        .await
        .map(drop)
}

/// Ends every session of the account.
pub(crate) async fn end_all(c: &mut Connection, account: &str) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM sessions WHERE account_id = $1", account)
        .execute(c)
        .await
        .map(drop)
}
