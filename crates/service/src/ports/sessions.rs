//! Sessions in the store.

use async_trait::async_trait;
use hato_domain::{AccountId, UnixMillis};

use super::{AccountRecord, StoreError};

/// A live session with its account.
#[derive(Clone, Debug)]
pub struct SessionRecord {
    /// Whose session it is.
    pub account: AccountRecord,
    /// When it ends unless it is used before.
    pub expires_at: UnixMillis,
}

/// Verbs on sessions. A session is found by the SHA-256 of its token; the token itself is never stored.
#[async_trait]
pub trait SessionStore {
    /// Makes a session.
    async fn create_session(
        &self,
        token_hash: [u8; 32],
        account: AccountId,
        now: UnixMillis,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Moves the end of the session, if it is still there: one that was ended meanwhile does not come back.
    async fn renew_session(
        &self,
        token_hash: [u8; 32],
        expires_at: UnixMillis,
    ) -> Result<(), StoreError>;

    /// The session, unless it is over.
    async fn session(
        &self,
        token_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<SessionRecord>, StoreError>;

    /// Ends the session, if it is there.
    async fn end_session(&self, token_hash: [u8; 32]) -> Result<(), StoreError>;
}
