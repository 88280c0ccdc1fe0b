//! API keys, and what happened to them (SPEC 4.6, 4.7, 4.12).

use axum::Json;
use axum::extract::{FromRequestParts, Query, State};
use hato_domain::ErrorCode;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey, KeyEvent, Page};
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;

use crate::http::access::{ManageAccess, Pepper};
use crate::http::error::{ApiError, ApiResult};
use crate::http::json::ApiJson;
use crate::http::paging::PagingParams;
use crate::http::path::ItemIdPath;
use crate::state::AppState;

/// `POST /api/v1/apps/{appId}/keys`: the only answer with the raw key.
pub async fn create(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<Pepper>,
    ApiJson(request): ApiJson<CreateKey>,
) -> ApiResult<(StatusCode, Json<CreatedKey>)> {
    let (name, scope) = request.into_parts()?;
    let key = state.service.create_key(&access, name, scope).await?;
    Ok((StatusCode::CREATED, Json(key.into())))
}

/// `GET /api/v1/apps/{appId}/keys`: the keys of the app, oldest first and without the raw keys (SPEC 4.7).
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<Vec<ApiKey>>> {
    let keys = state.service.keys(&access).await?;
    Ok(Json(keys.into_iter().map(ApiKey::from).collect()))
}

/// `DELETE /api/v1/apps/{appId}/keys/{keyId}`: effective at once.
pub async fn delete(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ItemIdPath(key): ItemIdPath,
    CancelSendsParam(cancel_sends): CancelSendsParam,
) -> ApiResult<Json<Acknowledged>> {
    if cancel_sends {
        state.service.delete_key_with_sends(&access, &key).await?;
    } else {
        state.service.delete_key(&access, &key).await?;
    }
    Ok(Json(Acknowledged { ok: true }))
}

/// Whether what a key has sent is cancelled with it; what is neither `true` nor `false`, or a member given twice, is `INVALID_INPUT`.
pub struct CancelSendsParam(bool);

#[derive(Deserialize)]
struct CancelSendsQuery {
    #[serde(default)]
    cancel_sends: bool,
}

impl<S: Sync> FromRequestParts<S> for CancelSendsParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let query = Query::<CancelSendsQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|_| ErrorCode::InvalidInput)?;
        Ok(Self(query.cancel_sends))
    }
}

/// `GET /api/v1/apps/{appId}/key-events`: who made and deleted keys, newest first.
pub async fn list_events(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    PagingParams(page): PagingParams,
) -> ApiResult<Json<Page<KeyEvent>>> {
    let events = state.service.key_events(&access, &page).await?;
    Ok(Json(events.map(KeyEvent::from)))
}
