//! The key that a browser needs to subscribe (SPEC 4.4).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::PublicKey;

use super::key_text;
use crate::http::access::Subscriber;
use crate::http::error::ApiResult;
use crate::state::Shared;

/// `GET /api/v1/vapid-public-key`.
pub async fn show(
    State(state): State<Shared>,
    Subscriber(access): Subscriber,
) -> ApiResult<Answer<PublicKey>> {
    let app = state.service.app_to_subscribe(&access).await?;
    Ok(Answer(PublicKey {
        public_key: key_text(&app.vapid_public_key),
        app_id: app.id.to_string(),
    }))
}
