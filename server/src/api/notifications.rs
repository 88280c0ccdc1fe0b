//! What was sent: the history, one send, and cancelling it (SPEC 4.11, CONTRACT 4).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Cancelled, HistoryItem, Page};
use hato_service::ports::SendRecord;

use super::actor_to_wire;
use crate::http::access::ManageAccess;
use crate::http::error::ApiResult;
use crate::http::paging::PagingParams;
use crate::http::path::SendIdPath;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/notifications`: newest first.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
) -> ApiResult<Json<Page<HistoryItem>>> {
    let sends = state.service.history(&access, &page).await?;
    Ok(Json(sends.map(to_wire)))
}

/// `GET /api/v1/apps/{appId}/notifications/{send_id}`: its history item.
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    SendIdPath(send): SendIdPath,
) -> ApiResult<Json<HistoryItem>> {
    let send = state.service.sent(&access, &send).await?;
    Ok(Json(to_wire(send)))
}

/// `DELETE /api/v1/apps/{appId}/notifications/{send_id}`: stops what is not yet claimed.
pub async fn cancel(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    SendIdPath(send): SendIdPath,
) -> ApiResult<Json<Cancelled>> {
    let cancelled = state.service.cancel(&access, &send).await?;
    Ok(Json(Cancelled {
        ok: true,
        cancelled,
    }))
}

/// A send as the history shows it.
pub fn to_wire(send: SendRecord) -> HistoryItem {
    let counts = send.counts;
    HistoryItem {
        send_id: send.id.to_string(),
        title: send.title,
        body: send.body,
        url: send.url,
        sent_count: counts.sent,
        failed_count: counts.failed_expired + counts.failed_other,
        failed_expired: counts.failed_expired,
        failed_other: counts.failed_other,
        created_at: send.created_at,
        actor: actor_to_wire(send.actor),
        status: send.status.as_str().to_owned(),
        recipients: send.recipients,
        skipped_count: counts.skipped,
        cancelled_count: counts.cancelled,
    }
}
