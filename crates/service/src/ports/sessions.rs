//! What sessions need of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, UnixMillis};

use super::{AccountRecord, StoreError};

/// A live session with its account, as it authenticates a request.
#[derive(Clone, Debug)]
pub struct SessionRecord {
    /// The account that is logged in.
    pub account: AccountRecord,
    /// When it ends unless it is used before.
    pub expires_at: UnixMillis,
    /// Whether an app of the account is under review.
    pub under_review: bool,
    /// Whether the account is an operator's.
    pub is_operator: bool,
}

/// A live session as its account's list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSession {
    /// SHA-256 of the session's token, 32 bytes.
    pub token_hash: Vec<u8>,
    /// What the browser called itself when it began.
    pub browser: Option<String>,
    /// When the session began.
    pub created_at: UnixMillis,
    /// When it ends unless it is used before.
    pub expires_at: UnixMillis,
}

/// A session to be made.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The SHA-256 of its token.
    pub token_hash: [u8; 32],
    /// Whose it is.
    pub account: AccountId,
    /// The account's password hash when it was logged in; `None` where there is none.
    pub password_hash: Option<String>,
    /// When it begins.
    pub created_at: UnixMillis,
    /// When it ends unless it is used before.
    pub expires_at: UnixMillis,
    /// What the browser calls itself (its `User-Agent`).
    pub browser: Option<String>,
}

/// What the store does with sessions. A session is found by the SHA-256 of its token; the token itself is never stored,
/// so who reads the database cannot log in.
#[async_trait]
pub trait SessionStore {
    /// Makes a session; `false` when the account has another password by now than the one that it was logged in with. Who has changed it has ended
    /// all sessions, and one whose log-in was under way must not come after that.
    async fn create_session(&self, session: NewSession) -> Result<bool, StoreError>;

    /// Moves the end of the session, if it is still there: one that was ended meanwhile does not come back.
    async fn renew_session(
        &self,
        token_hash: [u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), StoreError>;

    /// The session under this token; `None` when there is none or it is over.
    async fn session(
        &self,
        token_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<SessionRecord>, StoreError>;

    /// Ends the session, if it is there.
    async fn end_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError>;

    /// The account's live sessions, last used first, at most `limit` of them.
    async fn sessions_of(
        &self,
        account: &AccountId,
        now: UnixMillis,
        limit: i64,
    ) -> Result<Vec<OpenSession>, StoreError>;

    /// Removes every session of the account.
    async fn end_sessions(&self, account: &AccountId) -> Result<(), StoreError>;
}
