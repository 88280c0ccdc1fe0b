//! What logging in through GitHub needs of the store (CONTRACT 4).

use async_trait::async_trait;
use hato_domain::{Email, UnixMillis};

use super::{AccountRecord, StoreError};

/// The number that GitHub gave to one of its users, which stays when their name and addresses change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GithubId(pub i64);

/// A login on its way through GitHub.
#[derive(Clone, Debug)]
pub struct PendingLogin {
    /// SHA-256 of the state that GitHub hands back.
    pub state_hash: [u8; 32],
    /// SHA-256 of the secret that the browser keeps that began the login.
    pub browser_hash: [u8; 32],
    /// The PKCE verifier that the code is exchanged with (RFC 7636).
    pub pkce_verifier: String,
    /// When the login can no longer be finished.
    pub expires_at: UnixMillis,
}

/// What the store does with logins through GitHub, and with the accounts that they lead to.
#[async_trait]
pub trait GithubStore {
    /// Keeps a login that has begun, and forgets those that have expired.
    async fn begin_github_login(
        &self,
        login: PendingLogin,
        now: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Takes the login of this state and this browser, unless it has expired: its PKCE verifier, once.
    async fn take_github_login(
        &self,
        state_hash: [u8; 32],
        browser_hash: [u8; 32],
        now: UnixMillis,
    ) -> Result<Option<String>, StoreError>;

    /// The account of this GitHub user; else the one with this address, which becomes theirs, loses its password, has its
    /// sessions ended and its apps put under review; else `otherwise`, made and theirs; else none.
    async fn account_of_github_user(
        &self,
        user: GithubId,
        email: Option<Email>,
        otherwise: Option<AccountRecord>,
        now: UnixMillis,
    ) -> Result<Option<AccountRecord>, StoreError>;
}
