//! Subscribers that come from elsewhere, and those that leave (CONTRACT 16).

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::{self, TryStream};
use hato_domain::ErrorCode;
use hato_domain::wire::{MAX_BULK_BODY_BYTES, RegisterMany, RegisteredMany};
use hato_service::{ServiceError, SubscriptionExport};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use serde::Deserialize;

use crate::http::access::{LastingAccess, ManageAccess};
use crate::http::error::{ApiError, ApiResult};
use crate::http::json::ApiJson;
use crate::state::AppState;

/// Whether nothing is to be stored: `?dry_run=true`.
pub struct DryRun(bool);

#[derive(Deserialize)]
struct DryRunQuery {
    dry_run: Option<String>,
}

impl<S: Sync> axum::extract::FromRequestParts<S> for DryRun {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<DryRunQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        match query.dry_run.as_deref() {
            None | Some("" | "false") => Ok(Self(false)),
            Some("true") => Ok(Self(true)),
            Some(_) => Err(ErrorCode::InvalidInput.into()),
        }
    }
}

/// `POST /api/v1/apps/{appId}/subscriptions/bulk`: up to 1,000 registrations, each judged by itself.
pub async fn register_many(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    DryRun(is_dry_run): DryRun,
    ApiJson(body): ApiJson<RegisterMany, MAX_BULK_BODY_BYTES>,
) -> ApiResult<Json<RegisteredMany>> {
    let items = body.into_items()?;
    let registered = state.service.register_many(&access, items, is_dry_run);
    Ok(Json(registered.await?))
}

/// `GET /api/v1/apps/{appId}/export`: the active subscriptions, a JSON object a line.
pub async fn export(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    parts: Parts,
) -> ApiResult<Response> {
    let export = state.service.export_subscriptions(&access).await?;
    let lines = lines(export, LastingAccess::new(parts)?);
    let content_type = [(CONTENT_TYPE, "application/x-ndjson")];
    Ok((content_type, Body::from_stream(lines)).into_response())
}

/// The pages of the export as text. A failure breaks the response off, as access does that is good no more; its cause goes to the log.
fn lines(
    export: SubscriptionExport,
    access: LastingAccess,
) -> impl TryStream<Ok = Bytes, Error = ErrorCode> + Send {
    stream::try_unfold((export, access), async |(mut export, mut access)| {
        let lines = next_lines(&mut export, &mut access).await;
        let lines = lines.map_err(|error| error.code())?;
        Ok(lines.map(|lines| (lines, (export, access))))
    })
}

/// The next page as text; nothing at the end.
async fn next_lines(
    export: &mut SubscriptionExport,
    access: &mut LastingAccess,
) -> ApiResult<Option<Bytes>> {
    access.check_if_due().await?;
    let page = export.next_page().await?;
    if page.is_empty() {
        // What is left of a deleted app must not look like all of it.
        access.check().await?;
        return Ok(None);
    }
    let mut text = Vec::new();
    for subscription in page {
        let written = serde_json::to_writer(&mut text, &subscription);
        written.map_err(ServiceError::internal)?;
        text.push(b'\n');
    }
    Ok(Some(text.into()))
}
