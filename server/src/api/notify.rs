//! Sending (SPEC 4.8, 4.10).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::ErrorCode;
use hato_domain::wire::{Notify, SendAccepted};
use hato_service::Accepted;
use http::StatusCode;

use crate::http::access::{EncryptionKey, Manager, Sender};
use crate::http::error::ApiResult;
use crate::http::json::Json;
use crate::state::Shared;

type Reply = ApiResult<(StatusCode, Answer<SendAccepted>)>;

/// `POST /api/v1/notify`.
pub async fn send(
    State(state): State<Shared>,
    Sender(access): Sender,
    Json(request): Json<Notify>,
) -> Reply {
    let accepted = state.service.send(&access, request).await?;
    Ok(reply(&accepted))
}

/// `POST /api/v1/apps/{appId}/notify`: to everyone; a member `endpoint` is `INVALID_INPUT`, never a broadcast by mistake.
pub async fn broadcast(
    State(state): State<Shared>,
    Manager { access, .. }: Manager<EncryptionKey>,
    Json(request): Json<Notify>,
) -> Reply {
    if request.endpoint.is_some() {
        return Err(ErrorCode::InvalidInput.into());
    }
    let accepted = state.service.send(&access.may_send(), request).await?;
    Ok(reply(&accepted))
}

fn reply(accepted: &Accepted) -> (StatusCode, Answer<SendAccepted>) {
    let body = SendAccepted {
        ok: true,
        send_id: accepted.send_id.to_string(),
        queued: accepted.queued,
    };
    (StatusCode::ACCEPTED, Answer(body))
}
