//! API keys in the store.

use async_trait::async_trait;
use hato_domain::{AppId, KeyEventId, KeyId, PageRequest, Scope, UnixMillis, text_enum};

use super::StoreError;
use crate::actor::ActorRecord;

/// HMAC-SHA256 of a raw key under the pepper, all that is stored of it (SPEC 2.3).
pub type PepperedHash = [u8; 32];

/// An API key's record.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    /// `key_…`.
    pub id: KeyId,
    /// The app it is bound to.
    pub app_id: AppId,
    /// Its label.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it last authenticated a request, as far as the store knows.
    pub last_used_at: Option<UnixMillis>,
    /// When it was made.
    pub created_at: UnixMillis,
}

/// A key as it is found when it is used, with what a browser needs of its app (SPEC 4.4).
#[derive(Clone, Debug)]
pub struct AuthenticatedKey {
    /// The key.
    pub record: KeyRecord,
    /// The app's VAPID public key: an uncompressed point on P-256, 65 bytes.
    pub vapid_public_key: Vec<u8>,
}

/// A key to be made, with the event that records it.
#[derive(Clone, Debug)]
pub struct NewKeyRecord {
    /// `key_…`.
    pub id: KeyId,
    /// The app it is bound to.
    pub app_id: AppId,
    /// Its label.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// The hash by which it is found.
    pub hash: PepperedHash,
    /// `evt_…` of the `created` event.
    pub event_id: KeyEventId,
    /// Who made it.
    pub actor: ActorRecord,
    /// Now.
    pub created_at: UnixMillis,
}

/// A key to be deleted, with the event that records it.
#[derive(Clone, Debug)]
pub struct DeletedKey {
    /// `key_…`.
    pub id: KeyId,
    /// The app that it must be bound to.
    pub app_id: AppId,
    /// `evt_…` of the `deleted` event.
    pub event_id: KeyEventId,
    /// Who deletes it.
    pub actor: ActorRecord,
    /// Now.
    pub now: UnixMillis,
}

text_enum!(
    /// What happened to an API key (CONTRACT 4).
    KeyEventKind {
        /// The key was made.
        Created = "created",
        /// The key was deleted.
        Deleted = "deleted",
    }
);

/// What happened to a key, kept until its app is deleted (SPEC 2.6).
#[derive(Clone, Debug)]
pub struct KeyEventRecord {
    /// `evt_…`.
    pub id: KeyEventId,
    /// What happened.
    pub event: KeyEventKind,
    /// `key_…`, which may be deleted by now.
    pub key_id: KeyId,
    /// The key's label.
    pub key_name: String,
    /// What the key may or might do.
    pub key_scope: Scope,
    /// Who did it.
    pub actor: ActorRecord,
    /// When it happened.
    pub created_at: UnixMillis,
}

/// Verbs on API keys.
#[async_trait]
pub trait KeyStore {
    /// Makes the key and records its creation; `false` when the app is gone.
    async fn create_key(&self, key: NewKeyRecord) -> Result<bool, StoreError>;

    /// The key with this hash.
    async fn key_by_hash(&self, hash: PepperedHash)
    -> Result<Option<AuthenticatedKey>, StoreError>;

    /// The app's keys, oldest first.
    async fn keys_of(&self, app: &AppId) -> Result<Vec<KeyRecord>, StoreError>;

    /// Deletes the key and records that; `false` when the app has no such key.
    async fn delete_key(&self, key: DeletedKey) -> Result<bool, StoreError>;

    /// A page of what happened to the app's keys, newest first, at most `page.limit` + 1 of them, so that the caller sees
    /// whether more follow.
    async fn key_events_of(
        &self,
        app: &AppId,
        page: &PageRequest,
    ) -> Result<Vec<KeyEventRecord>, StoreError>;

    /// Moves each key's `last_used_at` forward to the given time.
    async fn record_key_uses(&self, uses: Vec<(KeyId, UnixMillis)>) -> Result<(), StoreError>;
}
