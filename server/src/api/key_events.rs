//! What happened to API keys (SPEC 4.12).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{KeyEvent, Page};
use hato_service::ports::KeyEventRecord;

use super::actor_to_wire;
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
    Ok(Json(events.map(to_wire)))
}

fn to_wire(event: KeyEventRecord) -> KeyEvent {
    KeyEvent {
        id: event.id.to_string(),
        event: event.event.as_str().to_owned(),
        key_id: event.key_id.to_string(),
        key_name: event.key_name,
        key_scope: event.key_scope.as_str().to_owned(),
        created_at: event.created_at,
        actor: actor_to_wire(event.actor),
    }
}
