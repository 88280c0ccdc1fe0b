//! The endpoints of /api/v1, one file per noun: wire type in, use case, wire type out.

pub mod apps;
pub mod keys;
pub mod notifications;
pub mod notify;
pub mod subscriptions;
pub mod vapid_public_key;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A public key as browsers take it: base64url without padding.
fn key_text(public_key: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(public_key)
}
