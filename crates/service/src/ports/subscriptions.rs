//! What the use cases of subscriptions need of the store.

use async_trait::async_trait;
use hato_domain::{
    AppId, AudienceFilter, BrowserKeys, Cursor, Endpoint, PageRequest, Platform, ProfileChange,
    SiteOrigin, SubscriptionId, Tag, Tags, UnixMillis, UserId, VapidPublicKey, text_enum,
};

use super::{StoreError, VapidKeyNumber};

/// A subscription that the store is to register.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// The id that the subscription gets when the endpoint is new to the app.
    pub id: SubscriptionId,
    /// The app that the browser subscribes to.
    pub app_id: AppId,
    /// The push service's URL, unique within the app (CONTRACT 5).
    pub endpoint: Endpoint,
    /// The browser's keys, which replace those that are there.
    pub keys: BrowserKeys,
    /// The app's VAPID key that the subscription was made with, if the client says so.
    pub vapid_public_key: Option<VapidPublicKey>,
    /// The client's label, which replaces the one that is there, if given.
    pub platform: Option<Platform>,
    /// What the client says of whom it belongs to and what it cares for.
    pub profile: ProfileChange,
    /// Another endpoint of the same browser, which this one replaces: if the app has it, it is deactivated, and what the client does
    /// not say of the profile is taken over.
    pub replaces: Option<Endpoint>,
    /// The site whose page asks, if a browser does.
    pub origin: Option<SiteOrigin>,
    /// Most active subscriptions that the app may have, whatever its plan (CONTRACT 18); `None` is no limit.
    pub max_active: Option<i64>,
    /// The time of the registration, in Unix milliseconds.
    pub now: UnixMillis,
    /// When the endpoint was registered first, if it is new to the app: now, or before elsewhere.
    pub created_at: UnixMillis,
}

/// Subscriptions that one transaction registers at most. Everybody's writes wait for it on SQLite: 0.2 s, where each changes fifty tags for
/// fifty others.
pub const MAX_REGISTERED_TOGETHER: usize = 250;

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterOutcome {
    /// The endpoint was new to the app.
    Created(SubscriptionId),
    /// The endpoint was known and active: the record is updated.
    Updated(SubscriptionId),
    /// The endpoint was known and deactivated: the record is updated, and active again.
    Reactivated(SubscriptionId),
    /// The endpoint would become active, and the app has as many active subscriptions as it may have.
    LimitReached,
    /// There would be more tags than a subscription may have, with the owner's that stay.
    TooManyTags,
    /// The app has no such VAPID key.
    UnknownVapidKey,
    /// The browser or the owner has ended the subscription, which only the browser begins anew.
    Unsubscribed,
    /// There is no such app any more.
    NoApp,
}

text_enum!(
    /// Why a subscription is not active (SPEC 3.1, CONTRACT 5).
    DeactivationReason {
        /// The browser's page or the owner unsubscribed it.
        Unsubscribed = "unsubscribed",
        /// The push service no longer knows the subscription.
        Expired = "expired",
        /// The browser has registered another endpoint in its place.
        Replaced = "replaced",
        /// The push service said again and again that the subscription was made with another VAPID key.
        KeyMismatch = "key_mismatch",
        /// The push service refused again and again what it was sent.
        Refused = "refused",
    }
);

/// When and why a subscription became inactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deactivated {
    /// When the subscription became inactive.
    pub at: UnixMillis,
    /// Why it is inactive.
    pub reason: DeactivationReason,
}

/// A subscription as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionRecord {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// The push service's URL.
    pub endpoint: String,
    /// The client's label; `None` without one.
    pub platform: Option<String>,
    /// The site's id of whom it belongs to; `None` when nobody is logged in.
    pub user_id: Option<String>,
    /// What it cares for.
    pub tags: Tags,
    /// The browser's language; `None` when it told none.
    pub lang: Option<String>,
    /// The browser's time zone; `None` when it told none.
    pub time_zone: Option<String>,
    /// The UTC day, counted from 1970-01-01, on which it last took a send, as far as finished sends tell; `None` when it took none, and for
    /// one that is not active.
    pub last_success_on: Option<i64>,
    /// When and why it became inactive; `None` while it is active.
    pub deactivated: Option<Deactivated>,
    /// When the endpoint was first registered.
    pub created_at: UnixMillis,
}

/// The state that a subscription must be in to be listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StateFilter {
    /// Any state is listed.
    #[default]
    Any,
    /// Only subscriptions that a broadcast reaches are listed.
    Active,
    /// Only subscriptions that a broadcast does not reach are listed.
    Deactivated,
}

/// What a subscription must be like to be listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionFilter {
    /// Part of the endpoint or of the platform, in any case of letters; empty is every one.
    pub text: String,
    /// Part of the push service's host, in any case of letters; empty is every one.
    pub host: String,
    /// Whom it must belong to.
    pub user: Option<UserId>,
    /// A tag that it must have.
    pub tag: Option<Tag>,
    /// The state that it must be in.
    pub state: StateFilter,
}

impl SubscriptionFilter {
    /// Whether some subscriptions may not be listed.
    pub fn is_search(&self) -> bool {
        *self != Self::default()
    }

    /// Whether many subscriptions may be looked at for a page: those of one user are found by an index.
    pub fn is_heavy(&self) -> bool {
        self.is_search() && self.user.is_none()
    }
}

/// A page of subscriptions, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionPage {
    /// The subscriptions that were found.
    pub items: Vec<SubscriptionRecord>,
    /// Where the next page begins; `None` when all subscriptions were looked at, or none was.
    pub next: Option<Cursor>,
    /// Whether a search stopped before the page was full and the list ended: it looks at so many subscriptions, for so long.
    pub is_cut_short: bool,
}

impl SubscriptionPage {
    /// The page of a search that looked at nothing.
    pub const fn unscanned() -> Self {
        Self {
            items: Vec::new(),
            next: None,
            is_cut_short: true,
        }
    }
}

/// Whom a send would go to, and how many of them took the last one (CONTRACT 12).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AudienceSummary {
    /// How many there are.
    pub recipients: i64,
    /// How many each push service has, most first: at most 20, and then those of all others under the name `other`.
    pub by_host: Vec<(String, ReachCount)>,
    /// How many there are of each of [`AudienceSummary::AGES`], and of those that are older.
    pub by_age: [ReachCount; 4],
    /// Whether everything but `recipients` is estimated from some of them.
    pub is_approximate: bool,
}

impl AudienceSummary {
    /// For how many days those of an age have subscribed at most, those of the ages before left out.
    pub const AGES: [i64; 3] = [30, 90, 270];
}

/// How many recipients an age or a push service has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachCount {
    /// How many there are.
    pub recipients: i64,
    /// How many of them took the app's last finished send that was for them.
    pub answered_last_send: i64,
}

/// The last subscription of a page of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportCursor {
    /// When it was first registered.
    pub created_at: UnixMillis,
    /// Its id, which orders those of the same time.
    pub id: SubscriptionId,
}

/// An active subscription with everything that another service needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRecord {
    /// The subscription's id, `sub_…`.
    pub id: SubscriptionId,
    /// The push service's URL.
    pub endpoint: String,
    /// What messages to the browser are encrypted with (RFC 8291).
    pub keys: BrowserKeys,
    /// The app's VAPID key that it was made with.
    pub vapid_key: VapidKeyNumber,
    /// The site's id of whom it belongs to.
    pub user_id: Option<String>,
    /// What it cares for.
    pub tags: Tags,
    /// The language of the browser, a tag such as `ja`.
    pub lang: Option<String>,
    /// The browser's time zone.
    pub time_zone: Option<String>,
    /// A label for the browser and its system, as whoever registered it chose.
    pub platform: Option<String>,
    /// When the endpoint was first registered.
    pub created_at: UnixMillis,
}

/// What the store does with subscriptions.
#[async_trait]
pub trait SubscriptionStore {
    /// Registers the subscription: an upsert on the endpoint within the app, whatever the plan. One that is not active becomes so
    /// only while the app has fewer active subscriptions than [`NewSubscription::max_active`], or in the place of an active one.
    /// What it replaces is deactivated in the same transaction.
    async fn register_subscription(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError>;

    /// Registers the subscription likewise, but a new endpoint only while the app has fewer active subscriptions than
    /// [`hato_domain::Plan::max_subscriptions`] of the stored plan (SPEC 4.2), or in the place of an active one.
    async fn register_within_limit(
        &self,
        subscription: NewSubscription,
    ) -> Result<RegisterOutcome, StoreError>;

    /// Registers many within the limit, all of one app and in one transaction, and says what became of each. What has been
    /// unsubscribed stays so. Nothing is kept of a dry run, which may be of any number: it tells what would become of them
    /// [`MAX_REGISTERED_TOGETHER`] at a time.
    async fn register_many(
        &self,
        app: &AppId,
        subscriptions: Vec<NewSubscription>,
        is_dry_run: bool,
    ) -> Result<Vec<RegisterOutcome>, StoreError>;

    /// At most `limit` active subscriptions of the app after the cursor, in the order of their first registration.
    async fn export_page(
        &self,
        app: &AppId,
        after: Option<ExportCursor>,
        limit: u32,
    ) -> Result<Vec<ExportRecord>, StoreError>;

    /// Whether the app has a subscription with this endpoint, active or not.
    async fn knows_endpoint(&self, app: &AppId, endpoint: &Endpoint) -> Result<bool, StoreError>;

    /// Deactivates the app's subscription with this endpoint, if it is there and active (CONTRACT 5).
    async fn unsubscribe(
        &self,
        app: &AppId,
        endpoint: &Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError>;

    /// A page of the app's subscriptions that `filter` lets through, newest first. A search looks
    /// at so many subscriptions, and for so long, and no more: a page may hold few, or none, and still have a next one. One that
    /// got no look at all is cut short, empty, and ends.
    async fn subscriptions_of(
        &self,
        app: &AppId,
        filter: &SubscriptionFilter,
        page: &PageRequest,
    ) -> Result<SubscriptionPage, StoreError>;

    /// The newest subscriptions of a user, at most `limit`, without the days on which they last took a send.
    async fn subscriptions_of_user(
        &self,
        app: &AppId,
        user: &UserId,
        limit: i64,
    ) -> Result<Vec<SubscriptionRecord>, StoreError>;

    /// The app's subscription with this id; `None` when the app has none.
    async fn subscription_of(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
    ) -> Result<Option<SubscriptionRecord>, StoreError>;

    /// Whom a send of the app to `filter`, or to everybody, would go to. What has more than 100,000 is estimated. `None` when others
    /// read so long that there was no time for it.
    async fn audience_of(
        &self,
        app: &AppId,
        filter: Option<&AudienceFilter>,
        now: UnixMillis,
    ) -> Result<Option<AudienceSummary>, StoreError>;

    /// How many a send of the app to `filter` would go to, exactly. `None` when there was no time to find it out.
    async fn recipients_of(
        &self,
        app: &AppId,
        filter: &AudienceFilter,
    ) -> Result<Option<i64>, StoreError>;

    /// Removes the subscription and its record; `false` when the app has no such subscription.
    async fn remove_subscription(
        &self,
        app: &AppId,
        subscription: &SubscriptionId,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;
}
