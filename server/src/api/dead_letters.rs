//! Deliveries that finally failed (CONTRACT 4).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{DeadLetter, Page};

use crate::http::access::ManageAccess;
use crate::http::error::ApiResult;
use crate::http::paging::PagingParams;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/dead-letters`: newest first.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
) -> ApiResult<Json<Page<DeadLetter>>> {
    let letters = state.service.dead_letters(&access, &page).await?;
    Ok(Json(letters.map(DeadLetter::from)))
}
