//! The dashboard, and what the server checks before its forms are handled (CONTRACT 3).

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use hato_app::server_fns::{
    CHANGE_PASSWORD_PATH, DELETE_ACCOUNT_PATH, EXPORT_VAPID_KEY_PATH, LOG_IN_PATH,
    OPERATOR_PASSWORD_PATH, REGISTER_PATH,
};
use hato_app::{brings_picture, session_cookie, takes_list, takes_picture};
use http::header::RETRY_AFTER;
use http::request::Parts;

use crate::http::error::{ApiResult, unwritten_refusal};
use crate::http::rate_limit::{LoginAttempt, RegistrationAttempt};
use crate::http::{json, same_origin};
use crate::metrics;
use crate::state::AppState;

/// Every page and form of the dashboard, and the page for what does not exist.
pub fn routes(state: &AppState) -> Router {
    let pages = hato_app::router(state.app.clone())
        .layer(from_fn_with_state(AppState::clone(state), guard_forms));
    if state.metrics {
        metrics::with_matched_path(pages)
    } else {
        pages
    }
}

/// The page that explains the refusal in `response`; any other response as it is.
pub async fn into_error_page(state: &AppState, request: Request, response: Response) -> Response {
    let Some(code) = unwritten_refusal(&response) else {
        return response;
    };
    let mut page = hato_app::error_page(&state.app, request, code).await;
    let retry_after = response.headers().get(RETRY_AFTER).cloned();
    if let Some(seconds) = retry_after {
        page.headers_mut().insert(RETRY_AFTER, seconds);
    }
    page
}

/// Forms stand for endpoints: all must come from our own pages (for logging in and registering `http/rate_limit.rs` sees to it), and
/// those that ask for a password, which are logging in, registering, changing a password, an operator's setting one, deleting an
/// account and exporting a VAPID key, count in the limits of SPEC 8. The others need none, as their endpoints need none for a session.
async fn guard_forms(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if same_origin::is_safe(request.method()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    match guarded_body(&mut parts, body, &state).await {
        Ok(body) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => {
            let request = Request::from_parts(parts, Body::empty());
            into_error_page(&state, request, refusal.into_response()).await
        }
    }
}

/// The form's body, once its sender was found to be let through. A file is read as it arrives.
async fn guarded_body(parts: &mut Parts, body: Body, state: &AppState) -> ApiResult<Body> {
    guard(parts, state).await?;
    let path = parts.uri.path();
    if takes_list(path) || takes_picture(path) || brings_picture(parts) {
        return Ok(body);
    }
    Ok(json::read(parts, body).await?.into())
}

/// Refuses a form that comes too often or from another site.
async fn guard(parts: &mut Parts, state: &AppState) -> ApiResult<()> {
    match parts.uri.path() {
        // Whoever has got hold of a session must not guess the password with it.
        CHANGE_PASSWORD_PATH
        | DELETE_ACCOUNT_PATH
        | EXPORT_VAPID_KEY_PATH
        | OPERATOR_PASSWORD_PATH => {
            LoginAttempt::from_request_parts(parts, state).await?;
            Ok(same_origin::require_with_cookie(parts, &state.base_url)?)
        }
        LOG_IN_PATH => LoginAttempt::from_request_parts(parts, state)
            .await
            .map(drop),
        REGISTER_PATH => RegistrationAttempt::from_request_parts(parts, state)
            .await
            .map(drop),
        _ if session_cookie::read(&parts.headers).is_some() => {
            Ok(same_origin::require_with_cookie(parts, &state.base_url)?)
        }
        _ => Ok(same_origin::require_without_cookie(parts, &state.base_url)?),
    }
}
