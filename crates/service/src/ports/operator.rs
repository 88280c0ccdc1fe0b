//! What an operator asks of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, Email, Month, Plan, UnixMillis};

use super::StoreError;

/// An account with what it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountUsage {
    /// `usr_…`.
    pub id: AccountId,
    /// The address as it was given.
    pub email: String,
    /// The plan.
    pub plan: Plan,
    /// When it was made.
    pub created_at: UnixMillis,
    /// How many apps it has.
    pub apps: i64,
    /// How many recipients it sent to in the month.
    pub recipients: i64,
}

/// Verbs of operators.
#[async_trait]
pub trait OperatorStore {
    /// Gives the account with this address a plan; `false` when there is none.
    async fn set_plan(&self, email: &Email, plan: Plan) -> Result<bool, StoreError>;

    /// Gives the account with this address a password, as its hash, and ends its sessions; `false` when there is none.
    async fn set_password(&self, email: &Email, hash: String) -> Result<bool, StoreError>;

    /// At most `limit` accounts in the order of their ids, which is that of their making, from the first after `after`.
    async fn accounts(
        &self,
        month: Month,
        after: Option<AccountId>,
        limit: i64,
    ) -> Result<Vec<AccountUsage>, StoreError>;

    /// How many pages are queued, claimed ones included; counted up to `most`.
    async fn queued_pages(&self, most: i64) -> Result<i64, StoreError>;

    /// When the oldest of the events that wait for their first attempt was written; `None` when none waits.
    async fn oldest_event(&self) -> Result<Option<UnixMillis>, StoreError>;
}
