//! Sessions: browsers that are logged in, each known by the hash of its token.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, UnixMillis};
use hato_service::ports::{
    AccountRecord, NewSession, OpenSession, SessionRecord, SessionStore, StoreError,
};

use crate::Database;
use crate::dialect::{DbConnection, readers, sql};
use crate::error::with_context;
use crate::transaction::transaction;
use crate::values::parse_plan;

#[async_trait]
impl SessionStore for Database {
    async fn create_session(&self, session: NewSession) -> Result<bool, StoreError> {
        transaction!(self, "make a session", |c| {
            if has_other_password(c, &session).await? {
                return Ok(false);
            }
            insert(c, &session).await?;
            Ok(true)
        })
    }

    async fn renew_session(
        &self,
        token_hash: [u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        transaction!(self, "renew a session", |c| {
            sqlx::query!(
                "UPDATE sessions SET expires_at = $2 WHERE token_hash = $1",
                &token_hash[..],
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
        sqlx::query_as!(
            SessionRow,
            r#"SELECT s.expires_at, a.id, a.email, a.password_hash, a.plan, a.created_at,
                      a.is_operator <> 0 AS "is_operator!: bool",
                      EXISTS (SELECT 1 FROM apps AS p
                              WHERE p.account_id = a.id AND p.review_since IS NOT NULL
                                AND p.deleted_at IS NULL) AS "under_review!: bool"
               FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
               WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.deleted_at IS NULL"#,
            &token_hash[..],
            now.0
        )
        .try_map(SessionRow::into_record)
        .fetch_optional(readers(self))
        .await
        .map_err(with_context("find a session"))
    }

    async fn end_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError> {
        transaction!(self, "end a session", |c| {
            sqlx::query!(
                "DELETE FROM sessions WHERE token_hash = $1",
                &token_hash[..]
            )
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
        sqlx::query_as!(
            OpenSessionRow,
            "SELECT token_hash, browser, created_at, expires_at FROM sessions
             WHERE account_id = $1 AND expires_at > $2
             ORDER BY expires_at DESC, token_hash LIMIT $3",
            account.as_str(),
            now.0,
            limit
        )
        .map(OpenSession::from)
        .fetch_all(readers(self))
        .await
        .map_err(with_context("list sessions"))
    }

    async fn end_sessions(&self, account: &AccountId) -> Result<(), StoreError> {
        let account = account.clone();
        transaction!(self, "end all sessions of an account", |c| {
            end_sessions(c, &account).await
        })
    }
}

/// Whether the account has another password than the one that the session was logged in with. Its row stays locked, so that
/// whoever changes the password ends this session as well.
async fn has_other_password(c: &mut DbConnection, session: &NewSession) -> sqlx::Result<bool> {
    let account = session.account.as_str();
    let found = sql!(query_scalar [
        r#"SELECT password_hash AS "password_hash?" FROM accounts WHERE id = $1"# FOR_UPDATE
    ] account);
    let found = found.fetch_optional(c).await?;
    Ok(found.is_some_and(|password_hash| password_hash != session.password_hash))
}

async fn insert(c: &mut DbConnection, session: &NewSession) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO sessions (token_hash, account_id, created_at, expires_at, browser)
         VALUES ($1, $2, $3, $4, $5)",
        &session.token_hash[..],
        session.account.as_str(),
        session.created_at.0,
        session.expires_at.0,
        session.browser
    )
    .execute(c)
    .await
    .map(drop)
}

struct OpenSessionRow {
    token_hash: Vec<u8>,
    browser: Option<String>,
    created_at: i64,
    expires_at: i64,
}

impl From<OpenSessionRow> for OpenSession {
    fn from(row: OpenSessionRow) -> Self {
        Self {
            token_hash: row.token_hash,
            browser: row.browser,
            created_at: UnixMillis(row.created_at),
            expires_at: UnixMillis(row.expires_at),
        }
    }
}

/// A session with the account that it is of.
struct SessionRow {
    expires_at: i64,
    id: String,
    email: String,
    password_hash: Option<String>,
    plan: String,
    created_at: i64,
    is_operator: bool,
    under_review: bool,
}

impl SessionRow {
    fn into_record(self) -> sqlx::Result<SessionRecord> {
        let account = AccountRecord {
            id: AccountId::trusted(self.id),
            email: Email::trusted(self.email),
            password_hash: self.password_hash,
            plan: parse_plan(&self.plan)?,
            created_at: UnixMillis(self.created_at),
        };
        Ok(SessionRecord {
            account,
            expires_at: UnixMillis(self.expires_at),
            under_review: self.under_review,
            is_operator: self.is_operator,
        })
    }
}

/// Ends every session of the account, in the transaction of what makes them end.
pub(crate) async fn end_sessions(c: &mut DbConnection, account: &AccountId) -> sqlx::Result<()> {
    let ended = sqlx::query!(
        "DELETE FROM sessions WHERE account_id = $1",
        account.as_str()
    );
    ended.execute(c).await.map(drop)
}
