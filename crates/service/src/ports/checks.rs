//! What the check of a database needs of the store.

use async_trait::async_trait;
use hato_domain::{AppId, UnixMillis};

use super::StoreError;

/// Something in the database that contradicts something else in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What is wrong, and where, for the operator.
    pub what: String,
    /// Whether it was mended.
    pub is_repaired: bool,
}

/// Looks for what the program itself never writes. Servers may run meanwhile: looking keeps nobody waiting, and what is
/// repaired is looked at in the transaction that repairs it.
#[async_trait]
pub trait CheckStore {
    /// Rows that refer to rows which are not there. Repairing removes them.
    async fn check_references(&self, repair: bool) -> Result<Vec<Flaw>, StoreError>;

    /// Sends that count other failures than their rows for each push service and reason. Those of finished sends from before `kept_from`
    /// may be about to be removed.
    async fn check_failures(
        &self,
        kept_from: UnixMillis,
        repair: bool,
    ) -> Result<Vec<Flaw>, StoreError>;

    /// Sends whose recipients do not add up, that have ended with pages in the queue, or that have none and have not ended.
    async fn check_sends(&self, now: UnixMillis, repair: bool) -> Result<Vec<Flaw>, StoreError>;

    /// The apps after `after` that are not deleted, at most `limit`, in the order of their ids.
    async fn apps_to_check(
        &self,
        after: Option<AppId>,
        limit: i64,
    ) -> Result<Vec<AppId>, StoreError>;

    /// An app's counters of subscriptions and VAPID keys, and its blocks of tags and reach, against their rows.
    async fn check_app(&self, app: &AppId, repair: bool) -> Result<Vec<Flaw>, StoreError>;
}
