//! The key that a browser needs to subscribe (SPEC 4.4).

use axum::Json;
use hato_domain::wire::PublicKey;

use super::base64url_key;
use crate::http::access::SubscribeAccess;

/// `GET /api/v1/vapid-public-key`.
pub async fn show(SubscribeAccess(access): SubscribeAccess) -> Json<PublicKey> {
    Json(PublicKey {
        public_key: base64url_key(access.vapid_public_key()),
        app_id: access.app().to_string(),
    })
}
