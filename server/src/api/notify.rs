//! The three sends (SPEC 4.8 to 4.10).

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hato_domain::wire::{BatchAccepted, Notify, NotifyBatch, SendAccepted};
use hato_service::SendReceipt;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::http::access::{EncryptionKey, KeySendAccess, ManageAccess};
use crate::http::error::ApiResult;
use crate::http::idempotent::Idempotent;
use crate::state::AppState;

/// Says that the response is that of an earlier, equal request (CONTRACT 6).
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// `POST /api/v1/notify`: sends to all subscribers or one, answered as soon as it is queued (SPEC 4.8).
pub async fn send(
    State(state): State<AppState>,
    KeySendAccess(access): KeySendAccess,
    request: Idempotent<Notify>,
) -> ApiResult<Response> {
    let (notify, request) = request.into_parts("/notify");
    let accepted = state.service.send(&access, notify, request).await?;
    Ok(accepted_response::<SendAccepted>(&accepted))
}

/// `POST /api/v1/notify/batch`: sends to the endpoints that are listed (SPEC 4.9).
pub async fn send_batch(
    State(state): State<AppState>,
    KeySendAccess(access): KeySendAccess,
    request: Idempotent<NotifyBatch>,
) -> ApiResult<Response> {
    let (batch, request) = request.into_parts("/notify/batch");
    let accepted = state.service.send_batch(&access, batch, request).await?;
    Ok(accepted_response::<BatchAccepted>(&accepted))
}

/// `POST /api/v1/apps/{appId}/notify`: to everyone.
pub async fn broadcast(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
    request: Idempotent<Notify>,
) -> ApiResult<Response> {
    let (notify, request) = request.into_parts("/apps/{appId}/notify");
    let access = access.may_send();
    let accepted = state.service.broadcast(&access, notify, request).await?;
    Ok(accepted_response::<SendAccepted>(&accepted))
}

fn accepted_response<'r, Body>(accepted: &'r SendReceipt) -> Response
where
    Body: From<&'r SendReceipt> + Serialize,
{
    tracing::Span::current().record("send", accepted.send_id.as_str());
    let mut response = (StatusCode::ACCEPTED, Json(Body::from(accepted))).into_response();
    if accepted.replayed {
        let replayed = HeaderValue::from_static("true");
        response.headers_mut().insert(REPLAYED, replayed);
    }
    response
}
