//! What was sent: the history, one send, and cancelling it (SPEC 4.11, CONTRACT 4).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::{Cancelled, HistoryItem, Page};
use hato_service::ports::SendRecord;

use super::actor;
use crate::http::access::Manager;
use crate::http::error::ApiResult;
use crate::http::paging::Paging;
use crate::http::path::SendId;
use crate::state::Shared;

/// `GET /api/v1/apps/{appId}/notifications`: newest first.
pub async fn list(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    Paging(page): Paging,
) -> ApiResult<Answer<Page<HistoryItem>>> {
    let sends = state.service.history(&access, &page).await?;
    Ok(Answer(sends.map(shown)))
}

/// `GET /api/v1/apps/{appId}/notifications/{send_id}`: its history item.
pub async fn show(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    SendId(send): SendId,
) -> ApiResult<Answer<HistoryItem>> {
    let send = state.service.sent(&access, &send).await?;
    Ok(Answer(shown(send)))
}

/// `DELETE /api/v1/apps/{appId}/notifications/{send_id}`: stops what is not yet claimed.
pub async fn cancel(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    SendId(send): SendId,
) -> ApiResult<Answer<Cancelled>> {
    let cancelled = state.service.cancel(&access, &send).await?;
    Ok(Answer(Cancelled {
        ok: true,
        cancelled,
    }))
}

/// A send as the history shows it.
pub fn shown(send: SendRecord) -> HistoryItem {
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
        actor: actor(send.actor),
        status: send.status.as_str().to_owned(),
        recipients: send.recipients,
        skipped_count: counts.skipped,
        cancelled_count: counts.cancelled,
    }
}
