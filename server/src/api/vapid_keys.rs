//! The VAPID keys of an app (CONTRACT 16).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, AddVapidKey, ConfirmOwner, ExportedVapidKey, VapidKey};
use http::StatusCode;

use crate::http::access::{EncryptionKey, ManageAccess, OwnerAccess};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::http::path::ItemIdPath;
use crate::http::rate_limit::ConfirmationAttempt;
use crate::state::AppState;

/// `GET /api/v1/apps/{appId}/vapid-keys`: all of them, oldest first.
pub async fn list(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<Vec<VapidKey>>> {
    let keys = state.service.vapid_key_uses(&access).await?;
    Ok(Json(keys.into_iter().map(VapidKey::from).collect()))
}

/// `POST /api/v1/apps/{appId}/vapid-keys`: 201 for another one, 200 for one that the app has.
pub async fn add(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess<EncryptionKey>,
    ApiJson(request): ApiJson<AddVapidKey>,
) -> ApiResult<(StatusCode, Json<VapidKey>)> {
    let private_key = request.private_key.as_deref();
    let (key, is_new) = state.service.add_vapid_key(&access, private_key).await?;
    let status = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(key.into())))
}

/// `POST /api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/primary`: browsers subscribe with it from now on.
pub async fn make_primary(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ItemIdPath(key): ItemIdPath,
) -> ApiResult<Json<Acknowledged>> {
    state.service.make_vapid_key_primary(&access, &key).await?;
    Ok(Json(Acknowledged { ok: true }))
}

/// `POST /api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/export`: the private key, for the owner who confirms it.
pub async fn export(
    State(state): State<AppState>,
    _: ConfirmationAttempt,
    OwnerAccess { owner, access, .. }: OwnerAccess<EncryptionKey>,
    ItemIdPath(key): ItemIdPath,
    ApiJson(request): ApiJson<ConfirmOwner>,
) -> ApiResult<Json<ExportedVapidKey>> {
    let exported = state
        .service
        .export_vapid_key(&owner, &access, &key, request);
    Ok(Json(exported.await?))
}

/// `DELETE /api/v1/apps/{appId}/vapid-keys/{vapidKeyId}`: unless it is in use.
pub async fn delete(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ItemIdPath(key): ItemIdPath,
) -> ApiResult<Json<Acknowledged>> {
    state.service.delete_vapid_key(&access, &key).await?;
    Ok(Json(Acknowledged { ok: true }))
}
