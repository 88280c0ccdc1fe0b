//! What happened to API keys (SPEC 4.12).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::{KeyEvent, Page};
use hato_service::ports::KeyEventRecord;

use super::actor;
use crate::http::access::Manager;
use crate::http::error::ApiResult;
use crate::http::paging::Paging;
use crate::state::Shared;

/// `GET /api/v1/apps/{appId}/key-events`: newest first.
pub async fn list(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    Paging(page): Paging,
) -> ApiResult<Answer<Page<KeyEvent>>> {
    let events = state.service.key_events(&access, &page).await?;
    Ok(Answer(events.map(shown)))
}

fn shown(event: KeyEventRecord) -> KeyEvent {
    KeyEvent {
        id: event.id.to_string(),
        event: event.event.as_str().to_owned(),
        key_id: event.key_id.to_string(),
        key_name: event.key_name,
        key_scope: event.key_scope.as_str().to_owned(),
        created_at: event.created_at,
        actor: actor(event.actor),
    }
}
