//! An app's webhook (CONTRACT 8).

use axum::Json;
use axum::extract::State;
use hato_domain::DisabledReason;
use hato_domain::wire;
use hato_service::WebhookDetails;

use crate::http::access::{EncryptionKey, ManageAccess};
use crate::http::error::ApiResult;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/webhook`.
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<wire::Webhook>> {
    let webhook = state.service.webhook(&access).await?;
    Ok(Json(to_wire(webhook)))
}

/// `POST /api/v1/apps/{appId}/webhook/secret`: a new secret; for a day both sign.
pub async fn rotate(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<wire::Webhook>> {
    let webhook = state.service.rotate_webhook_secret(&access).await?;
    Ok(Json(to_wire(webhook)))
}

/// `POST /api/v1/apps/{appId}/webhook/enable`: switches a switched-off one on.
pub async fn enable(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<wire::Webhook>> {
    let webhook = state.service.enable_webhook(&access).await?;
    Ok(Json(to_wire(webhook)))
}

fn to_wire(webhook: WebhookDetails) -> wire::Webhook {
    let (previous_secret, previous_secret_expires_at) = webhook.previous_secret.unzip();
    wire::Webhook {
        webhook_url: webhook.url,
        secret: webhook.secret,
        previous_secret,
        previous_secret_expires_at,
        enabled: webhook.disabled.is_none(),
        disabled_reason: webhook
            .disabled
            .map(DisabledReason::as_str)
            .map(str::to_owned),
    }
}
