//! API keys (SPEC 4.6, 4.7).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey};
use hato_service::NewKey;
use hato_service::ports::KeyRecord;
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
    Ok((StatusCode::CREATED, Json(created_key(key))))
}

/// `GET /api/v1/apps/{appId}/keys`.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<Vec<ApiKey>>> {
    let keys = state.service.keys(&access).await?;
    Ok(Json(keys.into_iter().map(to_wire).collect()))
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

/// A new key, with the raw key.
pub fn created_key(key: NewKey) -> CreatedKey {
    CreatedKey {
        record: to_wire(key.record),
        key: key.raw,
    }
}

/// A key as lists show it.
pub fn to_wire(key: KeyRecord) -> ApiKey {
    ApiKey {
        id: key.id.to_string(),
        name: key.name,
        scope: key.scope.as_str().to_owned(),
        last_used_at: key.last_used_at,
        created_at: key.created_at,
    }
}
