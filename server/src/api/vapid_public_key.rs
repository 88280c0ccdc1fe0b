//! The key that a browser needs to subscribe (SPEC 4.4).

use axum::Json as Answer;
use hato_domain::wire::PublicKey;

use super::key_text;
use crate::http::access::Subscriber;

/// `GET /api/v1/vapid-public-key`.
pub async fn show(Subscriber(access): Subscriber) -> Answer<PublicKey> {
    Answer(PublicKey {
        public_key: key_text(access.vapid_public_key()),
        app_id: access.app().to_string(),
    })
}
