//! Endpoints at which somebody might guess, each behind the limit of the address that asks (SPEC 8, CONTRACT 3).

use std::net::IpAddr;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hato_domain::ErrorCode;
use hato_service::ServiceError;
use http::request::Parts;

use super::access::Credential;
use super::client_address::ClientInfo;
use super::error::{ApiError, RefusalCode};
use super::same_origin;
use crate::state::AppState;

/// An attempt to log in that the limit lets through and that no other site made.
pub struct LoginAttempt;

/// The beginning of a login through GitHub that the limit lets through; any site may link to it.
pub struct GithubAttempt;

/// An attempt to register that the limit lets through and that no other site made, where strangers may register.
pub struct RegistrationAttempt;

impl FromRequestParts<AppState> for LoginAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        state.limits.login.count(address(parts)?)?;
        same_origin::require_without_cookie(parts, &state.base_url)?;
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for GithubAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        state.limits.login.count(address(parts)?)?;
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for RegistrationAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        state.limits.register.count(address(parts)?)?;
        same_origin::require_without_cookie(parts, &state.base_url)?;
        state.service.require_open_registration()?;
        Ok(Self)
    }
}

/// Middleware of the endpoints that take keys: after 20 answers `UNAUTHORIZED` or `INVALID_API_KEY` within the window of 60 s,
/// requests with a key or with no credential are refused until it ends, the right key included (CONTRACT 3). A session never is,
/// although its `UNAUTHORIZED` where only keys are taken counts. The numbers stand in `state/window_counter.rs`, and
/// `client_address.rs` counts an IPv6 client by its /64.
pub async fn limit_failed_keys(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let address = match address(&parts) {
        Ok(address) => address,
        Err(error) => return error.into_response(),
    };
    let limit = &state.limits.keys;
    let has_session = Credential::is_session(&parts.headers);
    if !has_session && limit.is_reached(address) {
        return ApiError::from(ErrorCode::RateLimited).into_response();
    }
    let response = next.run(Request::from_parts(parts, body)).await;
    match response.extensions().get() {
        Some(RefusalCode(ErrorCode::Unauthorized | ErrorCode::InvalidApiKey)) => {
            match limit.count(address) {
                Err(code) if !has_session => ApiError::from(code).into_response(),
                Err(_) | Ok(()) => response,
            }
        }
        _ => response,
    }
}

fn address(parts: &Parts) -> Result<IpAddr, ApiError> {
    let client = parts.extensions.get::<ClientInfo>();
    let client = client.ok_or_else(|| ServiceError::internal("a request without a client"))?;
    Ok(client.rate_limit_key)
}
