//! Who acted: what the history and key events keep of a caller after the request.
//!
//! It stands apart from `access`, which makes it, and from `ports`, whose records hold it.

use hato_domain::text_enum;

text_enum!(
    /// Whether a user or an API key acted (CONTRACT 4).
    ActorKind {
        /// A person with a session of the dashboard.
        User = "user",
        /// A program with an API key.
        ApiKey = "api_key",
    }
);

/// The user or the API key that did something, with the name that it had then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorRecord {
    /// Says what `id` and `name` are those of.
    pub kind: ActorKind,
    /// `usr_…` or `key_…`; the account or the key may be deleted by now.
    pub id: String,
    /// The email address or the key's name, kept after its deletion.
    pub name: String,
}
