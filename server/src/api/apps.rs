//! Apps (SPEC 4.13, 4.14, CONTRACT 4).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp, UpdateApp};
use http::StatusCode;

use crate::http::access::{EncryptionKey, ManageAccess, SessionAccess};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::state::AppState;

/// `POST /api/v1/apps`: makes an app with VAPID keys of its own, for sessions only.
pub async fn create(
    State(state): State<AppState>,
    SessionAccess { owner, .. }: SessionAccess<EncryptionKey>,
    ApiJson(request): ApiJson<CreateApp>,
) -> ApiResult<(StatusCode, Json<App>)> {
    let app = state
        .service
        .create_app(&owner, request.into_name()?)
        .await?;
    Ok((
        StatusCode::CREATED,
        Json(app.into_wire(state.vapid_subject())),
    ))
}

/// `GET /api/v1/apps`: the apps of the account, for sessions only.
pub async fn list(
    State(state): State<AppState>,
    SessionAccess { owner, .. }: SessionAccess,
) -> ApiResult<Json<Vec<App>>> {
    let apps = state.service.apps(&owner).await?;
    let subject = state.vapid_subject();
    let apps = apps.into_iter().map(|app| app.into_wire(subject));
    Ok(Json(apps.collect()))
}

/// `GET /api/v1/apps/{appId}`: one app, for its owner or a full key.
pub async fn show(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<App>> {
    let app = state.service.app(&access).await?;
    Ok(Json(app.into_wire(state.vapid_subject())))
}

/// `PATCH /api/v1/apps/{appId}`: changes the webhook, the site's address, and what becomes of messages.
pub async fn update(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    ApiJson(request): ApiJson<UpdateApp>,
) -> ApiResult<Json<AppUpdated>> {
    let (webhook_url, messages) = request.into_parts()?;
    let changed = state.service.change_app(&access, webhook_url, messages);
    Ok(Json(changed.await?.into()))
}

/// `DELETE /api/v1/apps/{appId}`: with everything in it.
pub async fn delete(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<Acknowledged>> {
    state.service.delete_app(&access).await?;
    Ok(Json(Acknowledged { ok: true }))
}
