//! What the use cases of accounts need of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Email, Month, Plan, UnixMillis};

use super::StoreError;

/// An account as it is stored.
#[derive(Clone, Debug)]
pub struct AccountRecord {
    /// The account's id, `usr_…`.
    pub id: AccountId,
    /// The email address as it was given, unique among accounts in its folded form, by which they are found.
    pub email: Email,
    /// The argon2id hash of the password as a PHC string; `None` for an account that only logs in through GitHub.
    pub password_hash: Option<String>,
    /// The plan, whose limits the store applies.
    pub plan: Plan,
    /// When the account was made.
    pub created_at: UnixMillis,
}

/// How many recipients an account sent to in a UTC month.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonthlyUsage {
    /// Recipients that count toward the limit of the account's plan (CONTRACT 6).
    pub recipients: i64,
    /// How many recipients each app has reached, for those that reached any.
    pub by_app: Vec<(AppId, i64)>,
}

/// What the store does with accounts.
#[async_trait]
pub trait AccountStore {
    /// Makes the account; `false` when the address is taken.
    async fn create_account(&self, account: AccountRecord) -> Result<bool, StoreError>;

    /// The account with this address, compared case-insensitively.
    async fn account_by_email(&self, email: &Email) -> Result<Option<AccountRecord>, StoreError>;

    /// What the account has sent in the month, deleted apps included.
    async fn monthly_usage(
        &self,
        account: &AccountId,
        month: Month,
    ) -> Result<MonthlyUsage, StoreError>;

    /// Deletes the account for everybody, with its sessions and its apps, whose rows are still there; `false` when there is
    /// no such account. [`super::AppStore::purge_deleted_apps`] removes the rows.
    async fn delete_account(
        &self,
        account: &AccountId,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;
}
