//! API keys (SPEC 4.6, 4.7).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey};
use http::StatusCode;

use crate::http::access::{ManageAccess, Pepper};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::http::path::KeyIdPath;
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

/// `GET /api/v1/apps/{appId}/keys`.
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
    KeyIdPath(key): KeyIdPath,
) -> ApiResult<Json<Acknowledged>> {
    state.service.delete_key(&access, &key).await?;
    Ok(Json(Acknowledged { ok: true }))
}
