//! Accounts in the store.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Email, Month, Plan, UnixMillis};

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

/// What an account sends in a month.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonthlyUsage {
    /// Recipients that count toward its plan.
    pub recipients: i64,
    /// Recipients reached by each app that reached any.
    pub by_app: Vec<(AppId, i64)>,
}

/// Verbs on accounts.
#[async_trait]
pub trait AccountStore {
    /// Makes the account; `false` when the address is taken.
    async fn create_account(&self, account: NewAccount) -> Result<bool, StoreError>;

    /// The account with this address, compared case-insensitively.
    async fn account_by_email(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError>;

    /// What the account sends in the month.
    async fn monthly_usage(
        &self,
        account: &AccountId,
        month: Month,
    ) -> Result<MonthlyUsage, StoreError>;

    /// Deletes the account for everybody, with its sessions and its apps, most rows of which are still there; `false`
    /// when there is no such account. [`super::AppStore::purge_deleted_apps`] removes the rows.
    async fn delete_account(
        &self,
        account: &AccountId,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;
}
