//! The history of sends (SPEC 4.11).

use axum::Json as Answer;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use hato_domain::wire::{Actor, HistoryItem, Page};
use hato_domain::{ErrorCode, PageRequest};
use hato_service::ports::SendRecord;
use serde::Deserialize;

use crate::http::access::Manager;
use crate::http::error::ApiResult;
use crate::state::Shared;

/// The query of a paged list.
#[derive(Deserialize)]
pub struct Paging {
    limit: Option<String>,
    before: Option<String>,
    before_id: Option<String>,
}

/// `GET /api/v1/apps/{appId}/notifications`: newest first.
pub async fn list(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    paging: Result<Query<Paging>, QueryRejection>,
) -> ApiResult<Answer<Page<HistoryItem>>> {
    let Query(paging) = paging.map_err(|_| ErrorCode::InvalidInput)?;
    let Paging {
        limit,
        before,
        before_id,
    } = &paging;
    let page = PageRequest::parse(limit.as_deref(), before.as_deref(), before_id.as_deref())?;
    let sends = state.service.history(&access, &page).await?;
    Ok(Answer(Page {
        items: sends.items.into_iter().map(shown).collect(),
        next_before: sends.next_before,
        next_before_id: sends.next_before_id,
    }))
}

fn shown(send: SendRecord) -> HistoryItem {
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
        actor: Actor {
            kind: send.actor.kind.as_str().to_owned(),
            id: send.actor.id,
            name: send.actor.name,
        },
        status: send.status.as_str().to_owned(),
        recipients: send.recipients,
        skipped_count: counts.skipped,
        cancelled_count: counts.cancelled,
    }
}
