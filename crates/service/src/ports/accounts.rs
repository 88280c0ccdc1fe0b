//! Accounts in the store.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Plan, UnixMillis};

use super::StoreError;

/// An account.
#[derive(Clone, Debug)]
pub struct AccountRecord {
    /// `usr_…`.
    pub id: AccountId,
    /// The address as it was given.
    pub email: String,
    /// The argon2 hash in PHC form; `None` when the account has no local password.
    pub password_hash: Option<String>,
    /// The plan.
    pub plan: Plan,
    /// When it was made.
    pub created_at: UnixMillis,
}

/// An account to be made.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// `usr_…`.
    pub id: AccountId,
    /// Unique in its folded form.
    pub email: Email,
    /// The argon2 hash in PHC form.
    pub password_hash: Option<String>,
    /// The plan.
    pub plan: Plan,
    /// Now.
    pub created_at: UnixMillis,
}

/// Verbs on accounts.
#[async_trait]
pub trait AccountStore {
    /// Makes the account; `false` when the address is taken.
    async fn create_account(&self, account: NewAccount) -> Result<bool, StoreError>;

    /// The account with this address, compared case-insensitively.
    async fn account_by_email(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError>;
}
