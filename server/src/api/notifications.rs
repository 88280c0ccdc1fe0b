//! What was sent: the history, one send, cancelling it, and deliveries that finally failed (SPEC 4.11, CONTRACT 4).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Cancelled, DeadLetter, HistoryItem, Page};

use crate::http::access::ManageAccess;
use crate::http::error::ApiResult;
use crate::http::paging::{PagingParams, StatusParam};
use crate::http::path::ItemIdPath;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/notifications`: newest first, those of one status if it is given.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
    StatusParam(status): StatusParam,
) -> ApiResult<Json<Page<HistoryItem>>> {
    let sends = state.service.history(&access, &page, status).await?;
    Ok(Json(sends.map(HistoryItem::from)))
}

/// `GET /api/v1/apps/{appId}/notifications/{send_id}`: its history item.
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ItemIdPath(send): ItemIdPath,
) -> ApiResult<Json<HistoryItem>> {
    let send = state.service.sent(&access, &send).await?;
    Ok(Json(send.into()))
}

/// `DELETE /api/v1/apps/{appId}/notifications/{send_id}`: stops what is not yet claimed.
pub async fn cancel(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ItemIdPath(send): ItemIdPath,
) -> ApiResult<Json<Cancelled>> {
    let cancelled = state.service.cancel(&access, &send).await?;
    Ok(Json(Cancelled {
        ok: true,
        cancelled,
    }))
}

/// `GET /api/v1/apps/{appId}/dead-letters`: deliveries that finally failed, newest first.
pub async fn list_dead_letters(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
) -> ApiResult<Json<Page<DeadLetter>>> {
    let letters = state.service.dead_letters(&access, None, &page).await?;
    Ok(Json(letters.map(DeadLetter::from)))
}
