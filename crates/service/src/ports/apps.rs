//! What the use cases of apps need of the store.

use async_trait::async_trait;
use hato_domain::{AccountId, AppId, Name, Plan, UnixMillis, WebhookUrl};

use super::StoreError;

/// An app, with the plan of its account.
#[derive(Clone, Debug)]
pub struct AppRecord {
    /// The app's id, `app_…`.
    pub id: AppId,
    /// The account that the app belongs to.
    pub account_id: AccountId,
    /// The app's name, at most 100 characters.
    pub name: String,
    /// The VAPID public key: an uncompressed point on P-256, 65 bytes.
    pub vapid_public_key: Vec<u8>,
    /// The URL that delivery results are posted to; `None` while the app has no webhook.
    pub webhook_url: Option<String>,
    /// The plan of the app's account.
    pub plan: Plan,
    /// How many subscriptions a broadcast would reach.
    pub active_subscriptions: i64,
    /// When the app was made.
    pub created_at: UnixMillis,
    /// Whether its owner has to decide about what was there before (CONTRACT 4).
    pub under_review: bool,
}

/// A new app, all of whose values are decided by the caller.
#[derive(Clone, Debug)]
pub struct NewApp {
    /// The app's id, `app_…`.
    pub id: AppId,
    /// The account that the app belongs to.
    pub account_id: AccountId,
    /// The app's name, at most 100 characters.
    pub name: String,
    /// The VAPID public key: an uncompressed point on P-256, 65 bytes.
    pub vapid_public_key: Vec<u8>,
    /// The VAPID private key, PKCS#8, sealed with the encryption key for [`crate::SealPurpose::VapidKey`] of the app.
    pub sealed_private_key: Vec<u8>,
    /// When the app is made: the current time.
    pub created_at: UnixMillis,
}

/// What became of [`AppStore::create_app`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateAppOutcome {
    /// The app was made.
    Created,
    /// The account already has as many apps as its plan allows.
    LimitReached,
}

/// What became of [`AppStore::set_webhook`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetWebhookOutcome {
    /// The webhook URL is as asked.
    Done,
    /// The account's plan is not [`Plan::FOR_WEBHOOKS`].
    PlanRequired,
    /// There is no such app any more.
    NoApp,
}

/// What the store does with apps. None of it sees a deleted app but [`AppStore::purge_deleted_apps`].
#[async_trait]
pub trait AppStore {
    /// Makes the app unless the account's plan allows no more; the limit is [`Plan::max_apps`] of the stored plan.
    async fn create_app(&self, app: NewApp) -> Result<CreateAppOutcome, StoreError>;

    /// Every app of the account, oldest first.
    async fn apps_of(&self, account: &AccountId) -> Result<Vec<AppRecord>, StoreError>;

    /// The app with this id; `None` when there is none any more.
    async fn app(&self, app: &AppId) -> Result<Option<AppRecord>, StoreError>;

    /// Gives the app another name; `false` when there is no such app.
    async fn rename_app(&self, app: &AppId, name: &Name) -> Result<bool, StoreError>;

    /// Sets the webhook URL if the account's stored plan allows that, or clears it on any plan.
    async fn set_webhook(
        &self,
        app: &AppId,
        url: Option<WebhookUrl>,
    ) -> Result<SetWebhookOutcome, StoreError>;

    /// Deletes the app for everybody: it acts no more and nobody finds it, though most of its rows are still there;
    /// `false` when there is no such app.
    async fn delete_app(&self, app: &AppId, now: UnixMillis) -> Result<bool, StoreError>;

    /// Removes at most `limit` rows of deleted apps, and whether some may be left; then the deleted accounts without apps.
    /// What an account sent in a month stays until its end.
    async fn purge_deleted_apps(&self, limit: u32) -> Result<bool, StoreError>;
}
