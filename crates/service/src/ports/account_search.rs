//! What a search of all apps of an account needs of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, SendId, SubscriptionId, UserId};

use super::StoreError;

/// A send of one of the account's apps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSend {
    /// The send's id, `snd_…`.
    pub id: SendId,
    /// The notification's title.
    pub title: String,
    /// The notification's text.
    pub body: String,
    /// The app that it was sent for.
    pub app: AppId,
    /// The app's name.
    pub app_name: String,
}

/// A subscription of one of the account's apps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSubscription {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// The push service's URL.
    pub endpoint: String,
    /// The client's label; `None` without one.
    pub platform: Option<String>,
    /// The site's id of whom it belongs to; `None` when nobody is logged in.
    pub user_id: Option<String>,
    /// The app that has it.
    pub app: AppId,
    /// The app's name.
    pub app_name: String,
}

/// Which subscriptions are searched for; an index knows both kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionKey {
    /// The one with this id.
    Id(SubscriptionId),
    /// Those of this user of the site.
    User(UserId),
}

/// What was found, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings<T> {
    /// The first of them.
    pub items: Vec<T>,
    /// Whether the search stopped before it had looked at everything: it may look at so much, and for so long.
    pub is_cut_short: bool,
}

impl<T> Findings<T> {
    /// What a search finds that had no time to look.
    pub const fn unscanned() -> Self {
        Self {
            items: Vec::new(),
            is_cut_short: true,
        }
    }
}

/// What the store finds in all apps of an account.
#[async_trait]
pub trait AccountSearchStore {
    /// The newest sends that have `text` in their title, their text or their link, in any case of letters; at most `limit`. The
    /// account's 5,000 latest are looked at.
    async fn sends_of_account(
        &self,
        account: &AccountId,
        text: &str,
        limit: usize,
    ) -> Result<Findings<FoundSend>, StoreError>;

    /// The newest subscriptions with this key, at most `limit`.
    async fn subscriptions_of_account(
        &self,
        account: &AccountId,
        key: &SubscriptionKey,
        limit: usize,
    ) -> Result<Findings<FoundSubscription>, StoreError>;
}
