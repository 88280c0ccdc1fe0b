//! The key that a browser needs to subscribe (SPEC 4.4).

use axum::Json;
use hato_domain::wire::PublicKey;

use crate::http::access::SubscribeAccess;

/// `GET /api/v1/vapid-public-key`.
pub async fn show(SubscribeAccess(access): SubscribeAccess) -> Json<PublicKey> {
    Json(PublicKey::from(&access))
}
