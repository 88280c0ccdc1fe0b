//! Deliveries that finally failed (CONTRACT 4).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::{DeadLetter, Page};
use hato_service::ports::DeadLetterRecord;

use crate::http::access::Manager;
use crate::http::error::ApiResult;
use crate::http::paging::Paging;
use crate::state::Shared;

/// `GET /api/v1/apps/{appId}/dead-letters`: newest first.
pub async fn list(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    Paging(page): Paging,
) -> ApiResult<Answer<Page<DeadLetter>>> {
    let letters = state.service.dead_letters(&access, &page).await?;
    Ok(Answer(letters.map(shown)))
}

fn shown(letter: DeadLetterRecord) -> DeadLetter {
    DeadLetter {
        id: letter.id.to_string(),
        send_id: letter.send_id.to_string(),
        subscription_id: letter.subscription_id,
        endpoint: letter.endpoint,
        reason: letter.reason,
        http_status: letter.http_status,
        attempts: letter.attempts,
        created_at: letter.created_at,
    }
}
