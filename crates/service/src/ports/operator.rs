//! What an operator's commands and metrics need of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Month, Plan, UnixMillis};

use super::StoreError;

/// An account with what it uses, as `hato-server admin list-accounts` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountUsage {
    /// The account's id, `usr_…`.
    pub id: AccountId,
    /// The email address as it was given.
    pub email: String,
    /// What it may do and how much of it.
    pub plan: Plan,
    /// When the account was made.
    pub created_at: UnixMillis,
    /// How many apps the account has.
    pub apps: i64,
    /// How many recipients the account sent to in the month asked for.
    pub recipients: i64,
    /// Whether it is an operator's.
    pub is_operator: bool,
}

/// The sizes of a database's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseFiles {
    /// Bytes of the file itself.
    pub main: u64,
    /// Bytes of the log (WAL) beside it.
    pub log: u64,
}

/// What the store does for operators.
#[async_trait]
pub trait OperatorStore {
    /// Gives the account with this address a plan; `false` when there is none.
    async fn set_plan(&self, email: &Email, plan: Plan) -> Result<bool, StoreError>;

    /// Gives the account with this address a password, as its hash, and ends its sessions; `false` when there is none.
    async fn set_password(&self, email: &Email, hash: String) -> Result<bool, StoreError>;

    /// Makes the account with this address an operator's, or an ordinary one again; `false` when there is none.
    async fn set_operator(&self, email: &Email, is_operator: bool) -> Result<bool, StoreError>;

    /// The accounts after `after`, at most `limit` of them, in the order of their ids, which is that of their making.
    async fn accounts(
        &self,
        month: Month,
        after: Option<AccountId>,
        limit: i64,
    ) -> Result<Vec<AccountUsage>, StoreError>;

    /// How many pages are queued, claimed ones included; counted up to `most`.
    async fn queued_pages(&self, most: i64) -> Result<i64, StoreError>;

    /// When the page that has been due longest was or is due, claimed ones at the end of their lease; `None` when none is queued.
    async fn first_due_page(&self) -> Result<Option<UnixMillis>, StoreError>;

    /// How many events of webhooks wait to be posted, for the first time or again; counted up to `most`.
    async fn queued_events(&self, most: i64) -> Result<i64, StoreError>;

    /// The files of the database; `None` when it is another server's matter.
    async fn files(&self) -> Result<Option<DatabaseFiles>, StoreError>;

    /// When the oldest of the events that wait for their first attempt was written; `None` when none waits.
    async fn oldest_event(&self) -> Result<Option<UnixMillis>, StoreError>;
}
