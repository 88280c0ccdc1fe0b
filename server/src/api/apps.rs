//! Apps (SPEC 4.13, 4.14, CONTRACT 4).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp, UpdateApp};
use hato_service::ports::AppRecord;
use http::StatusCode;

use super::key_text;
use crate::http::access::{EncryptionKey, Manager, SignedIn};
use crate::http::error::ApiResult;
use crate::http::json::Json;
use crate::state::Shared;

/// `POST /api/v1/apps`.
pub async fn create(
    State(state): State<Shared>,
    SignedIn { owner, .. }: SignedIn<EncryptionKey>,
    Json(request): Json<CreateApp>,
) -> ApiResult<(StatusCode, Answer<App>)> {
    let app = state
        .service
        .create_app(&owner, request.into_name()?)
        .await?;
    Ok((StatusCode::CREATED, Answer(shown(app, &state))))
}

/// `GET /api/v1/apps`.
pub async fn list(
    State(state): State<Shared>,
    SignedIn { owner, .. }: SignedIn,
) -> ApiResult<Answer<Vec<App>>> {
    let apps = state.service.apps(&owner).await?;
    Ok(Answer(
        apps.into_iter().map(|app| shown(app, &state)).collect(),
    ))
}

/// `GET /api/v1/apps/{appId}`.
pub async fn show(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
) -> ApiResult<Answer<App>> {
    let app = state.service.app(&access).await?;
    Ok(Answer(shown(app, &state)))
}

/// `PATCH /api/v1/apps/{appId}`: sets or clears the webhook.
pub async fn update(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
    Json(request): Json<UpdateApp>,
) -> ApiResult<Answer<AppUpdated>> {
    let url = request.into_webhook_url()?;
    let url = state.service.set_webhook(&access, url.as_deref()).await?;
    Ok(Answer(AppUpdated {
        ok: true,
        webhook_url: url.map(|url| url.as_str().to_owned()),
    }))
}

/// `DELETE /api/v1/apps/{appId}`: with everything in it.
pub async fn delete(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
) -> ApiResult<Answer<Acknowledged>> {
    state.service.delete_app(&access).await?;
    Ok(Answer(Acknowledged { ok: true }))
}

fn shown(app: AppRecord, state: &Shared) -> App {
    App {
        app_id: app.id.to_string(),
        vapid_public_key: key_text(&app.vapid_public_key),
        name: app.name,
        webhook_url: app.webhook_url,
        vapid_subject: state.service.settings().vapid_subject.clone(),
        plan: app.plan.as_str().to_owned(),
        active_subscriptions: app.active_subscriptions,
        created_at: app.created_at,
    }
}
