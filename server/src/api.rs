//! The endpoints of /api/v1, one file per noun: wire type in, use case, wire type out.

pub mod apps;
pub mod dead_letters;
pub mod key_events;
pub mod keys;
pub mod notifications;
pub mod notify;
pub mod stats;
pub mod subscriptions;
pub mod vapid_public_key;
pub mod webhook;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::wire;
use hato_service::access::ActorRecord;

/// A public key as browsers take it: base64url without padding.
fn base64url_key(public_key: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(public_key)
}

/// Who did something.
fn actor_to_wire(actor: ActorRecord) -> wire::Actor {
    wire::Actor {
        kind: actor.kind.as_str().to_owned(),
        id: actor.id,
        name: actor.name,
    }
}
