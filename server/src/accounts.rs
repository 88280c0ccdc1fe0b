//! Registering, logging in and out, as JSON (CONTRACT 4).

mod error_page;
pub mod github;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use hato_app::session_cookie;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated, User};
use hato_service::access::AccountPrincipal;
use http::{HeaderMap, StatusCode};

pub use error_page::explain;

use crate::http::access::{Credential, SignedIn, set_cookie};
use crate::http::error::ApiResult;
use crate::http::json::Json;
use crate::http::rate_limit::{LoginAttempt, RegistrationAttempt};
use crate::state::{self, Shared};

/// `POST /auth/register`.
pub async fn register(
    State(state): State<Shared>,
    _: RegistrationAttempt,
    headers: HeaderMap,
    Json(credentials): Json<Credentials>,
) -> ApiResult<Response> {
    let (email, password) = credentials.for_registration()?;
    let owner = state.service.register(email, password).await?;
    welcome(&state, &headers, StatusCode::CREATED, &owner).await
}

/// `POST /auth/login`.
pub async fn log_in(
    State(state): State<Shared>,
    _: LoginAttempt,
    headers: HeaderMap,
    Json(credentials): Json<Credentials>,
) -> ApiResult<Response> {
    let (email, password) = credentials.for_login()?;
    let owner = state.service.log_in(&email, password).await?;
    welcome(&state, &headers, StatusCode::OK, &owner).await
}

/// `POST /auth/logout`: the session that was shown is dead at once.
pub async fn log_out(
    State(state): State<Shared>,
    _: SignedIn,
    headers: HeaderMap,
) -> ApiResult<Response> {
    if let Ok(Credential::Session { token, .. }) = Credential::of(&headers) {
        state.service.end_session(&token).await?;
    }
    let mut answer = Answer(Acknowledged { ok: true }).into_response();
    let cookie = session_cookie::clear(state.secure_cookies());
    set_cookie(answer.headers_mut(), &cookie);
    Ok(answer)
}

/// `GET /auth/session`.
pub async fn session(SignedIn { owner, .. }: SignedIn) -> Answer<Account> {
    Answer(Account {
        user: shown(&owner),
    })
}

async fn welcome(
    state: &state::State,
    headers: &HeaderMap,
    status: StatusCode,
    owner: &AccountPrincipal,
) -> ApiResult<Response> {
    let browser = session_cookie::browser(headers);
    let session_token = state.service.start_session(owner, browser).await?;
    let cookie = session_cookie::set(&session_token, state.secure_cookies());
    let user = shown(owner);
    let body = SessionCreated {
        user,
        session_token,
    };
    let mut answer = (status, Answer(body)).into_response();
    set_cookie(answer.headers_mut(), &cookie);
    Ok(answer)
}

fn shown(owner: &AccountPrincipal) -> User {
    let account = owner.account();
    User {
        id: account.id.to_string(),
        email: account.email.clone(),
        plan: account.plan.as_str().to_owned(),
        created_at: account.created_at,
    }
}
