//! What the use cases of apps need of the store.

use async_trait::async_trait;
use hato_domain::{
    AccountId, AppId, FieldChange, MessageSettings, MessageSettingsChange, Name, Plan, SiteOrigin,
    UnixMillis, WebhookUrl,
};

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
    /// What the app says of all its messages.
    pub messages: MessageSettings,
    /// The sites whose pages have subscribed browsers, at most [`MAX_ORIGINS`] of them, the last new one first.
    pub origins: Vec<SiteOrigin>,
}

/// How many sites are remembered of an app.
pub const MAX_ORIGINS: usize = 3;

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

/// What becomes of an app's settings; by default they stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppChange {
    /// What becomes of the webhook's URL.
    pub webhook_url: FieldChange<WebhookUrl>,
    /// What becomes of what the app says of its messages.
    pub messages: MessageSettingsChange,
}

impl AppChange {
    /// Sets the webhook's URL, or clears it, and nothing else.
    pub fn from_webhook(url: Option<WebhookUrl>) -> Self {
        Self {
            webhook_url: url.map_or(FieldChange::Clear, FieldChange::Set),
            messages: MessageSettingsChange::default(),
        }
    }
}

/// An app's settings after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedApp {
    /// The URL that delivery results are posted to.
    pub webhook_url: Option<String>,
    /// What the app says of all its messages.
    pub messages: MessageSettings,
}

/// What became of [`AppStore::change_app`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeAppOutcome {
    /// The settings are as asked.
    Changed(ChangedApp),
    /// Declarative messages need a site's address, which the app would not have; nothing was changed.
    SiteRequired,
    /// The account's plan is not [`Plan::FOR_WEBHOOKS`]; nothing was changed.
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

    /// At most `limit` apps of the account whose name has `text` in it, in any case of letters, the newest first; before them `first`,
    /// whatever its name, if it is the account's.
    async fn apps_with_name(
        &self,
        account: &AccountId,
        text: &str,
        first: Option<&AppId>,
        limit: i64,
    ) -> Result<Vec<AppRecord>, StoreError>;

    /// The app with this id; `None` when there is none any more.
    async fn app(&self, app: &AppId) -> Result<Option<AppRecord>, StoreError>;

    /// Gives the app another name; `false` when there is no such app.
    async fn rename_app(&self, app: &AppId, name: &Name) -> Result<bool, StoreError>;

    /// Changes the app's settings, all that are named or none. A webhook URL is set if the account's stored plan allows that, and
    /// cleared on any plan.
    async fn change_app(
        &self,
        app: &AppId,
        change: AppChange,
    ) -> Result<ChangeAppOutcome, StoreError>;

    /// Deletes the app for everybody: it acts no more and nobody finds it, though its rows are still there; `false` when there
    /// is no such app. What it costs does not depend on how many they are.
    async fn delete_app(&self, app: &AppId, now: UnixMillis) -> Result<bool, StoreError>;

    /// Removes at most `limit` rows of deleted apps, and whether some may be left; then the deleted accounts without apps.
    /// What an account sent in a month stays until its end.
    async fn purge_deleted_apps(&self, limit: u32) -> Result<bool, StoreError>;
}
