//! What the use cases of VAPID keys need of the store.

use async_trait::async_trait;
use hato_domain::{AppId, KeyEventId, UnixMillis, VapidKeyId};

use super::StoreError;
use crate::actor::ActorRecord;

/// Most VAPID keys that an app has at a time.
pub const MAX_VAPID_KEYS: usize = 100;

/// Which of its app's VAPID keys it is; no number is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VapidKeyNumber(pub i64);

/// A VAPID key of an app, without its private half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VapidKeyRecord {
    /// Which of the app's keys it is.
    pub number: VapidKeyNumber,
    /// An uncompressed point on P-256, 65 bytes.
    pub public_key: Vec<u8>,
    /// Whether browsers subscribe with it from now on.
    pub is_primary: bool,
    /// When it was made or imported.
    pub created_at: UnixMillis,
}

/// A VAPID key and how many rely on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VapidKeyUse {
    /// The key.
    pub key: VapidKeyRecord,
    /// How many active subscriptions were made with it.
    pub active_subscriptions: i64,
}

/// A key pair that an app is to have besides those that it has.
#[derive(Clone, Debug)]
pub struct NewVapidKey {
    /// An uncompressed point on P-256, 65 bytes.
    pub public_key: Vec<u8>,
    /// The private key, PKCS#8, sealed with the encryption key for [`crate::SealPurpose::VapidKey`] of the app.
    pub sealed_private_key: Vec<u8>,
    /// Whether it was made elsewhere.
    pub is_imported: bool,
}

/// Who does something to a VAPID key, and when, for the event that records it.
#[derive(Clone, Debug)]
pub struct VapidKeyAct {
    /// The app that the key is of.
    pub app_id: AppId,
    /// The key's id, `vapid_…`.
    pub key_id: VapidKeyId,
    /// The public key as base64url without padding, by which the event names it.
    pub key_name: String,
    /// The event's id, `evt_…`.
    pub event_id: KeyEventId,
    /// The user or key that acts.
    pub actor: ActorRecord,
    /// When it is done, for the key and its event.
    pub now: UnixMillis,
}

/// What became of a key that an app was to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddVapidKeyOutcome {
    /// The app has it now.
    Added(VapidKeyRecord),
    /// The app had it already; nothing was changed.
    Known,
    /// The app has [`MAX_VAPID_KEYS`].
    LimitReached,
    /// Too much happened to the app's keys lately ([`super::MAX_KEY_EVENTS`]).
    OverRateLimit,
    /// There is no such app any more.
    NoApp,
}

/// What became of what was to be done to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VapidKeyOutcome {
    /// It is done, and recorded.
    Done,
    /// It was so already; nothing was changed.
    Unchanged,
    /// The key is the primary one, or active subscriptions have it.
    InUse,
    /// Too much happened to the app's keys lately ([`super::MAX_KEY_EVENTS`]).
    OverRateLimit,
    /// The app has no such key.
    NoKey,
}

/// What the store does with the VAPID keys of apps. Each change is recorded as a key event in the same transaction.
#[async_trait]
pub trait VapidKeyStore {
    /// The app's VAPID keys, oldest first.
    async fn vapid_keys_of(&self, app: &AppId) -> Result<Vec<VapidKeyRecord>, StoreError>;

    /// The same with the subscriptions of each, which are counted one by one.
    async fn vapid_key_uses(&self, app: &AppId) -> Result<Vec<VapidKeyUse>, StoreError>;

    /// Adds a key that is not the primary one.
    async fn add_vapid_key(
        &self,
        key: NewVapidKey,
        act: VapidKeyAct,
    ) -> Result<AddVapidKeyOutcome, StoreError>;

    /// Makes it the key that browsers subscribe with.
    async fn make_vapid_key_primary(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError>;

    /// Deletes it, unless it is in use.
    async fn delete_vapid_key(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError>;

    /// Records that its private half is shown to the owner.
    async fn record_vapid_export(
        &self,
        key: VapidKeyNumber,
        act: VapidKeyAct,
    ) -> Result<VapidKeyOutcome, StoreError>;
}
