//! Registering, logging in and out, as JSON (CONTRACT 4).

mod error_page;
pub mod github;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hato_app::session_cookie;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated, User};
use hato_service::access::AccountPrincipal;
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};

pub use error_page::render_error_pages;

use crate::http::access::{Credential, LogOutAccess, SessionAccess};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::http::rate_limit::{LoginAttempt, RegistrationAttempt};
use crate::state::{self, AppState};

/// `POST /auth/register`: makes an account and starts a session, answered with 201.
pub async fn register(
    State(state): State<AppState>,
    _: RegistrationAttempt,
    headers: HeaderMap,
    ApiJson(credentials): ApiJson<Credentials>,
) -> ApiResult<Response> {
    let (email, password) = credentials.for_registration()?;
    let owner = state.service.register(email, password).await?;
    start_session(&state, &headers, StatusCode::CREATED, &owner).await
}

/// `POST /auth/login`: starts a session for an email address and its password.
pub async fn log_in(
    State(state): State<AppState>,
    _: LoginAttempt,
    headers: HeaderMap,
    ApiJson(credentials): ApiJson<Credentials>,
) -> ApiResult<Response> {
    let (email, password) = credentials.for_login()?;
    let owner = state.service.log_in(&email, password).await?;
    start_session(&state, &headers, StatusCode::OK, &owner).await
}

/// `POST /auth/logout`: the session that was shown is dead at once.
pub async fn log_out(
    State(state): State<AppState>,
    _: LogOutAccess,
    headers: HeaderMap,
) -> ApiResult<Response> {
    if let Ok(Credential::Session { token, .. }) = Credential::from_headers(&headers) {
        state.service.end_session(&token).await?;
    }
    let cookie = session_cookie::clear(state.secure_cookies());
    let body = Json(Acknowledged { ok: true });
    Ok(([(SET_COOKIE, cookie)], body).into_response())
}

/// `GET /auth/session`: the account of the session that was shown.
pub async fn session(SessionAccess { owner, .. }: SessionAccess) -> Json<Account> {
    let user = User::from(&owner);
    Json(Account { user })
}

async fn start_session(
    state: &state::AppStateInner,
    headers: &HeaderMap,
    status: StatusCode,
    owner: &AccountPrincipal,
) -> ApiResult<Response> {
    let browser = session_cookie::user_agent(headers);
    let session_token = state.service.start_session(owner, browser).await?;
    let cookie = session_cookie::set(&session_token, state.secure_cookies());
    let user = User::from(owner);
    let body = SessionCreated {
        user,
        session_token,
    };
    Ok((status, [(SET_COOKIE, cookie)], Json(body)).into_response())
}
