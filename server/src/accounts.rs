//! Registering, logging in and out, as JSON (CONTRACT 4).

mod error_page;
pub mod github;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hato_app::session_cookie;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated, User};
use hato_service::access::AccountPrincipal;
use http::{HeaderMap, StatusCode};

pub use error_page::render_error_pages;

use crate::http::access::{Credential, SessionAccess, set_cookie};
use crate::http::error::ApiResult;
use crate::http::json::ApiJson;
use crate::http::rate_limit::{LoginAttempt, RegistrationAttempt};
use crate::state::{self, AppState};

/// `POST /auth/register`.
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

/// `POST /auth/login`.
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
    _: SessionAccess,
    headers: HeaderMap,
) -> ApiResult<Response> {
    if let Ok(Credential::Session { token, .. }) = Credential::from_headers(&headers) {
        state.service.end_session(&token).await?;
    }
    let mut response = Json(Acknowledged { ok: true }).into_response();
    let cookie = session_cookie::clear(state.secure_cookies());
    set_cookie(response.headers_mut(), &cookie);
    Ok(response)
}

/// `GET /auth/session`.
pub async fn session(SessionAccess { owner, .. }: SessionAccess) -> Json<Account> {
    Json(Account {
        user: to_wire(&owner),
    })
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
    let user = to_wire(owner);
    let body = SessionCreated {
        user,
        session_token,
    };
    let mut response = (status, Json(body)).into_response();
    set_cookie(response.headers_mut(), &cookie);
    Ok(response)
}

fn to_wire(owner: &AccountPrincipal) -> User {
    let account = owner.account();
    User {
        id: account.id.to_string(),
        email: account.email.clone(),
        plan: account.plan.as_str().to_owned(),
        created_at: account.created_at,
    }
}
