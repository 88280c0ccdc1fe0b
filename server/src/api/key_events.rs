//! What happened to API keys (SPEC 4.12).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{KeyEvent, Page};

use crate::http::access::ManageAccess;
use crate::http::error::ApiResult;
use crate::http::paging::PagingParams;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/key-events`: newest first.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
) -> ApiResult<Json<Page<KeyEvent>>> {
    let events = state.service.key_events(&access, &page).await?;
    Ok(Json(events.map(KeyEvent::from)))
}
