//! Subscriptions the push service knows, with the private halves that browsers keep.

use super::{autopush_error::AutopushError, keys};
use p256::SecretKey;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use web_push_native::Auth;

/// Salt, record size, length of the key id and the 65-byte public key (RFC 8188 §2.1, RFC 8291 §4).
const HEADER_SIZE: usize = 16 + 4 + 1 + 65;

/// What a page gets from `pushManager.subscribe()`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrowserSubscription {
    /// The last segment of the endpoint's path, by which [`super::SeenTraffic`] counts.
    pub id: String,
    /// The address to POST to, `https://127.0.0.1:PORT/push/<id>`.
    pub endpoint: String,
    /// The browser's public key, 65 bytes as base64url without padding.
    pub p256dh: String,
    /// The authentication secret, 16 bytes as base64url without padding.
    pub auth: String,
}

impl BrowserSubscription {
    /// The body of `POST /api/v1/subscriptions` (SPEC 4.1).
    pub fn registration(&self) -> Value {
        json!({"endpoint": self.endpoint, "p256dh": self.p256dh, "auth": self.auth})
    }
}

/// Who reads the messages of a subscription.
#[derive(Clone)]
pub(super) enum SubscriptionOwner {
    /// The service itself, with the private key it kept.
    Service(Arc<Decryptor>),
    /// A browser on the WebSocket side.
    Browser { uaid: String, channel: String },
}

/// A subscription as the service knows it.
#[derive(Clone)]
pub(super) struct StoredSubscription {
    pub(super) application_server_key: Option<Arc<[u8]>>,
    pub(super) recipient: SubscriptionOwner,
    pub(super) gone: bool,
}

/// The private key and secret that open a subscription's messages.
pub(super) struct Decryptor {
    private_key: SecretKey,
    auth: Auth,
}

impl Decryptor {
    pub(super) fn new(private_key: SecretKey, auth: [u8; 16]) -> Self {
        Self {
            private_key,
            auth: Auth::from(auth),
        }
    }

    /// The plaintext of a push message (RFC 8291 §3.4); the error says what kept it closed.
    pub(super) fn open(&self, body: &[u8]) -> Result<Vec<u8>, String> {
        web_push_native::decrypt(body.to_vec(), &self.private_key, &self.auth)
            .map_err(|error| format!("cannot be decrypted: {error}"))
    }
}

/// Makes `count` subscriptions that share one key pair, each with an endpoint and a secret of its own.
pub(super) fn make_many(
    origin: &str,
    application_server_key: Option<&Arc<[u8]>>,
    count: usize,
) -> Vec<(BrowserSubscription, StoredSubscription)> {
    let private_key = keys::private_key();
    let p256dh = keys::public_text(&private_key);
    let make_one = |_| {
        let (id, auth) = (keys::random_id(), keys::random());
        let browser = BrowserSubscription {
            endpoint: format!("{origin}/push/{id}"),
            id,
            p256dh: p256dh.clone(),
            auth: keys::encode(auth),
        };
        let subscription = StoredSubscription {
            application_server_key: application_server_key.cloned(),
            recipient: SubscriptionOwner::Service(Arc::new(Decryptor::new(
                private_key.clone(),
                auth,
            ))),
            gone: false,
        };
        (browser, subscription)
    };
    (0..count).map(make_one).collect()
}

/// Checks the part of a body that is readable without keys: the header, and that there is one record (RFC 8291 §4).
pub(super) fn check_encoding(body: &[u8]) -> Result<(), AutopushError> {
    let (header, records) = body
        .split_at_checked(HEADER_SIZE)
        .ok_or_else(|| AutopushError::encoding("the body is too short for aes128gcm"))?;
    let record_size = u32::from_be_bytes([header[16], header[17], header[18], header[19]]);
    if header[20] != 65 || header[21] != 4 {
        return Err(AutopushError::encoding(
            "the key id is no uncompressed point",
        ));
    }
    if records.len() < 18 || record_size < 18 || records.len() > record_size as usize {
        return Err(AutopushError::encoding("the body is not one record"));
    }
    Ok(())
}
