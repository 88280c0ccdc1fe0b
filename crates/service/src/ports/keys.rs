//! API keys in the store.

use async_trait::async_trait;
use hato_domain::{AppId, KeyEventId, KeyId, Scope, UnixMillis};

use super::StoreError;
use crate::access::Actor;

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
    pub actor: Actor,
    /// Now.
    pub created_at: UnixMillis,
}

/// Verbs on API keys.
#[async_trait]
pub trait KeyStore {
    /// Makes the key and records its creation; `false` when the app is gone.
    async fn create_key(&self, key: NewKeyRecord) -> Result<bool, StoreError>;

    /// The key with this hash.
    async fn key_by_hash(&self, hash: PepperedHash) -> Result<Option<KeyRecord>, StoreError>;

    /// The app's keys, oldest first.
    async fn keys_of(&self, app: &AppId) -> Result<Vec<KeyRecord>, StoreError>;

    /// Moves each key's `last_used_at` forward to the given time.
    async fn record_key_uses(&self, uses: Vec<(KeyId, UnixMillis)>) -> Result<(), StoreError>;
}
