//! API keys (SPEC 4.6, 4.7).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey};
use hato_service::NewKey;
use hato_service::ports::KeyRecord;
use http::StatusCode;

use crate::http::access::{Manager, Pepper};
use crate::http::error::ApiResult;
use crate::http::json::Json;
use crate::http::path::KeyId;
use crate::state::Shared;

/// `POST /api/v1/apps/{appId}/keys`: the only answer with the raw key.
pub async fn create(
    State(state): State<Shared>,
    Manager { access, .. }: Manager<Pepper>,
    Json(request): Json<CreateKey>,
) -> ApiResult<(StatusCode, Answer<CreatedKey>)> {
    let (name, scope) = request.into_parts()?;
    let key = state.service.create_key(&access, name, scope).await?;
    Ok((StatusCode::CREATED, Answer(created(key))))
}

/// `GET /api/v1/apps/{appId}/keys`.
pub async fn list(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
) -> ApiResult<Answer<Vec<ApiKey>>> {
    let keys = state.service.keys(&access).await?;
    Ok(Answer(keys.into_iter().map(shown).collect()))
}

/// `DELETE /api/v1/apps/{appId}/keys/{keyId}`: effective at once.
pub async fn delete(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    KeyId(key): KeyId,
) -> ApiResult<Answer<Acknowledged>> {
    state.service.delete_key(&access, &key).await?;
    Ok(Answer(Acknowledged { ok: true }))
}

/// A new key, with the raw key.
pub fn created(key: NewKey) -> CreatedKey {
    CreatedKey {
        record: shown(key.record),
        key: key.raw,
    }
}

/// A key as lists show it.
pub fn shown(key: KeyRecord) -> ApiKey {
    ApiKey {
        id: key.id.to_string(),
        name: key.name,
        scope: key.scope.as_str().to_owned(),
        last_used_at: key.last_used_at,
        created_at: key.created_at,
    }
}
