//! What the use cases of API keys need of the store.

use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{
    AccountId, AppId, KeyEventId, KeyId, MessageSettings, PageRequest, Scope, SendId, UnixMillis,
};

use super::{KeyEventRecord, StoreError};
use crate::actor::ActorRecord;

/// HMAC-SHA256 of a raw key under the pepper, all that is stored of it (SPEC 2.3).
pub type PepperedHash = [u8; 32];

/// By which a pepper is known, without giving it away.
pub type PepperId = [u8; 8];

/// An API key as it is stored, without its hash.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// The key's id, `key_…`, which is not the raw key.
    pub id: KeyId,
    /// The one app that the key is bound to.
    pub app_id: AppId,
    /// The label that its owner gave it.
    pub name: String,
    /// What the key may do.
    pub scope: Scope,
    /// When the key last authenticated a request; the store learns of it with a flush ([`KeyStore::record_key_uses`]).
    pub last_used_at: Option<UnixMillis>,
    /// When the key was made.
    pub created_at: UnixMillis,
}

/// A key as it is found when it is used, with what a browser needs of its app (SPEC 4.4).
#[derive(Clone, Debug)]
pub struct AuthenticatedKey {
    /// The record of the key that was found.
    pub record: KeyRecord,
    /// The account that the key's app belongs to.
    pub account_id: AccountId,
    /// The app's VAPID public key: an uncompressed point on P-256, 65 bytes.
    pub vapid_public_key: Vec<u8>,
    /// What the app says of all its messages.
    pub messages: MessageSettings,
}

/// A key to be made, with the event that records it.
#[derive(Clone, Debug)]
pub struct NewKeyRecord {
    /// The record of the key, not used yet.
    pub record: KeyRecord,
    /// The hash by which it is found.
    pub hash: PepperedHash,
    /// The pepper of the hash.
    pub pepper: PepperId,
    /// The id of the event `created`, `evt_…`.
    pub event_id: KeyEventId,
    /// The user or key that makes the key.
    pub actor: ActorRecord,
}

/// A key whose hash is replaced by one under another pepper.
#[derive(Clone, Debug)]
pub struct RehashedKey {
    /// The key's id, `key_…`.
    pub id: KeyId,
    /// The hash under the previous pepper, by which it is found until then.
    pub before: PepperedHash,
    /// The hash by which it is found from then on.
    pub after: PepperedHash,
    /// The pepper of that hash.
    pub pepper: PepperId,
}

/// A key that is not known to be hashed with the pepper that was asked for.
#[derive(Clone, Debug)]
pub struct WaitingKey {
    /// What is stored of the key.
    pub record: KeyRecord,
    /// The pepper of its hash; `None` where it was not recorded.
    pub pepper: Option<Vec<u8>>,
}

/// Most keys that an app has at a time (CONTRACT 18).
pub const MAX_KEYS: i64 = 1_000;

/// Most events about an app's keys within [`KEY_EVENT_WINDOW`] before another key is made: they are kept as long as the app
/// (CONTRACT 18, SPEC 2.6).
pub const MAX_KEY_EVENTS: i64 = 4_000;

/// How long an event about a key counts toward [`MAX_KEY_EVENTS`].
pub const KEY_EVENT_WINDOW: Duration = Duration::from_hours(24);

/// What became of a key that was to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateKeyOutcome {
    /// The key is stored, and its creation recorded.
    Created,
    /// The app has [`MAX_KEYS`] keys; nothing was stored.
    LimitReached,
    /// The app's keys were made and deleted [`MAX_KEY_EVENTS`] times lately; nothing was stored.
    OverRateLimit,
    /// There is no such app any more.
    NoApp,
}

/// A key to be deleted, with the event that records it.
#[derive(Clone, Debug)]
pub struct DeletedKey {
    /// The key's id, `key_…`, which is not the raw key.
    pub id: KeyId,
    /// The app that it must be bound to.
    pub app_id: AppId,
    /// The id of the event `deleted`, `evt_…`.
    pub event_id: KeyEventId,
    /// The user or key that deletes the key.
    pub actor: ActorRecord,
    /// When the key is deleted: the current time.
    pub now: UnixMillis,
}

/// What the store does with API keys and their events.
#[async_trait]
pub trait KeyStore {
    /// Makes the key and records its creation, unless the app is gone or under review, has [`MAX_KEYS`] keys, or had
    /// [`MAX_KEY_EVENTS`] events.
    async fn create_key(&self, key: NewKeyRecord) -> Result<CreateKeyOutcome, StoreError>;

    /// The key with this hash, and the public key of its app; `None` for an unknown or deleted key, or while the app is
    /// under review.
    async fn key_by_hash(&self, hash: PepperedHash)
    -> Result<Option<AuthenticatedKey>, StoreError>;

    /// Every key of the app, oldest first.
    async fn keys_of(&self, app: &AppId) -> Result<Vec<KeyRecord>, StoreError>;

    /// Deletes the key and records that; `false` when the app has no such key.
    async fn delete_key(&self, key: DeletedKey) -> Result<bool, StoreError>;

    /// The sends of the app that this key has made and that are not over: scheduled, or with recipients in the queue.
    async fn open_sends_of_key(&self, app: &AppId, key: &KeyId) -> Result<Vec<SendId>, StoreError>;

    /// A page of what happened to the app's keys, newest first, at most `page.limit` + 1 of them, so that the caller sees
    /// whether more follow.
    async fn key_events_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<KeyEventRecord>, StoreError>;

    /// Moves each key's `last_used_at` forward to the given time.
    async fn record_key_uses(&self, uses: Vec<(KeyId, UnixMillis)>) -> Result<(), StoreError>;

    /// Replaces the hash of a key, if it still has the one that is named.
    async fn rehash_key(&self, key: RehashedKey) -> Result<(), StoreError>;

    /// The keys after `after` that are not known to be hashed with this pepper, at most `limit` of them, in the order of their ids.
    async fn keys_without_pepper(
        &self,
        pepper: PepperId,
        after: Option<KeyId>,
        limit: i64,
    ) -> Result<Vec<WaitingKey>, StoreError>;
}
