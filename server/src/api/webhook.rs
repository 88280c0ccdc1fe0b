//! An app's webhook (CONTRACT 8).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::Webhook;

use crate::http::access::{EncryptionKey, ManageAccess};
use crate::http::error::ApiResult;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/webhook`: the URL, the secrets and whether events are posted (CONTRACT 8).
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<Webhook>> {
    let webhook = state.service.webhook(&access).await?;
    Ok(Json(webhook.into()))
}

/// `POST /api/v1/apps/{appId}/webhook/secret`: a new secret; for a day both sign.
pub async fn rotate(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<Webhook>> {
    let webhook = state.service.rotate_webhook_secret(&access).await?;
    Ok(Json(webhook.into()))
}

/// `POST /api/v1/apps/{appId}/webhook/enable`: enables a disabled one.
pub async fn enable(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<Webhook>> {
    let webhook = state.service.enable_webhook(&access).await?;
    Ok(Json(webhook.into()))
}
