//! What is recorded of an app's keys, of both kinds (SPEC 2.6).

use hato_domain::{KeyEventId, Scope, UnixMillis, text_enum};

use crate::actor::ActorRecord;

text_enum!(
    /// What happened to a key (CONTRACT 4, 16).
    KeyEventKind {
        /// An API key was made.
        Created = "created",
        /// An API key was deleted.
        Deleted = "deleted",
        /// A VAPID key pair was made.
        VapidCreated = "vapid_created",
        /// A VAPID key pair was imported.
        VapidImported = "vapid_imported",
        /// A VAPID key has become the primary one.
        VapidPrimary = "vapid_primary",
        /// A VAPID private key was shown to the owner.
        VapidExported = "vapid_exported",
        /// A VAPID key pair was deleted.
        VapidDeleted = "vapid_deleted",
    }
);

text_enum!(
    /// What the key of an event may do: an API key's scope, or that it is a VAPID key.
    KeyEventScope {
        /// An API key of the scope [`Scope::SubscribeOnly`].
        SubscribeOnly = "subscribe_only",
        /// An API key of the scope [`Scope::Notify`].
        Notify = "notify",
        /// An API key of the scope [`Scope::Full`].
        Full = "full",
        /// A VAPID key, which signs deliveries.
        Vapid = "vapid",
    }
);

impl From<Scope> for KeyEventScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::SubscribeOnly => Self::SubscribeOnly,
            Scope::Notify => Self::Notify,
            Scope::Full => Self::Full,
        }
    }
}

/// What happened to a key, kept until its app is deleted (SPEC 2.6).
#[derive(Clone, Debug)]
pub struct KeyEventRecord {
    /// The event's id, `evt_…`.
    pub id: KeyEventId,
    /// What happened to the key.
    pub event: KeyEventKind,
    /// The id of the key, `key_…` or `vapid_…`, which may be deleted by now.
    pub key_id: String,
    /// The label that the key had then; of a VAPID key its public key as base64url.
    pub key_name: String,
    /// What the key may or might do.
    pub key_scope: KeyEventScope,
    /// The user or key that did it.
    pub actor: ActorRecord,
    /// When the key was created, changed or deleted.
    pub created_at: UnixMillis,
}
