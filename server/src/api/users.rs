//! A site's users: with what it proves who they are, and forgetting one (CONTRACT 12).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{EraseUser, Identity, UserErased};

use crate::http::access::{EncryptionKey, ManageAccess};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/identity`: the secrets that prove users.
pub async fn show_identity(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<Identity>> {
    Ok(Json(state.service.identity(&access).await?.into()))
}

/// `POST /api/v1/apps/{appId}/identity/secret`: a new secret; for a day both hold.
pub async fn rotate_identity(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
) -> ApiResult<Json<Identity>> {
    let secrets = state.service.rotate_identity_secret(&access).await?;
    Ok(Json(secrets.into()))
}

/// `POST /api/v1/apps/{appId}/users/erase`: the user's subscriptions and what names them are no more.
pub async fn erase(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ApiJson(body): ApiJson<EraseUser>,
) -> ApiResult<Json<UserErased>> {
    let removed = state
        .service
        .erase_user(&access, &body.into_user()?)
        .await?;
    Ok(Json(UserErased { ok: true, removed }))
}
