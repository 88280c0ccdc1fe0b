//! Endpoints at which somebody might guess, each behind the limit of the address that asks (SPEC 8, CONTRACT 3, 18).

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hato_app::RefusalCode;
use hato_domain::ErrorCode;
use hato_service::ServiceError;
use hato_service::ports::EntranceWindow;
use http::request::Parts;

use super::access::Credential;
use super::client_address::ClientInfo;
use super::error::{ApiError, ApiResult};
use super::same_origin;
use crate::state::AppState;

/// An attempt to log in that the limit lets through and that no other site made.
pub struct LoginAttempt;

/// An attempt to give a password again, which counts like one to log in; the access that follows judges the rest.
pub struct ConfirmationAttempt;

/// The beginning of a login through GitHub that the limit lets through; any site may link to it.
pub struct GithubAttempt;

/// An attempt to register that the limit lets through and that no other site made, where strangers may register.
pub struct RegistrationAttempt;

impl FromRequestParts<AppState> for LoginAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        count(&state.limits.login, parts).await?;
        same_origin::require_without_cookie(parts, &state.base_url)?;
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for ConfirmationAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        count(&state.limits.login, parts).await?;
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for GithubAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        count(&state.limits.login, parts).await?;
        Ok(Self)
    }
}

impl FromRequestParts<AppState> for RegistrationAttempt {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        count(&state.limits.register, parts).await?;
        same_origin::require_without_cookie(parts, &state.base_url)?;
        state.service.require_open_registration()?;
        Ok(Self)
    }
}

/// Counts a request at an entrance, for its client and for the site of that.
async fn count(window: &Arc<dyn EntranceWindow>, parts: &Parts) -> Result<(), ApiError> {
    let client = ClientInfo::from_extensions(&parts.extensions)?;
    let counted = window.count(client.rate_limit_key, client.site).await;
    if counted.map_err(ServiceError::from)? {
        Ok(())
    } else {
        Err(ErrorCode::RateLimited.into())
    }
}

/// Middleware of the endpoints that take keys: after 20 answers `UNAUTHORIZED` or `INVALID_API_KEY` within the window of 60 s,
/// requests with a key or with no credential are refused until it ends, the right key included (CONTRACT 3). A session never is,
/// although its `UNAUTHORIZED` where only keys are taken counts. The numbers stand in `state/rate_limits.rs`, and
/// `client_address.rs` counts an IPv6 client by its /64.
pub async fn limit_failed_keys(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    match count_failed_key(&state, request, next).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

fn has_failed(response: &Response) -> bool {
    matches!(
        response.extensions().get(),
        Some(RefusalCode(
            ErrorCode::Unauthorized | ErrorCode::InvalidApiKey
        ))
    )
}

async fn count_failed_key(state: &AppState, request: Request, next: Next) -> ApiResult<Response> {
    let client = ClientInfo::from_extensions(request.extensions())?.rate_limit_key;
    let window = &state.limits.keys;
    let has_session = Credential::is_session(request.headers());
    if !has_session
        && window
            .is_reached(client)
            .await
            .map_err(ServiceError::from)?
    {
        return Err(ErrorCode::RateLimited.into());
    }
    let response = next.run(request).await;
    if has_failed(&response)
        && !window.count(client).await.map_err(ServiceError::from)?
        && !has_session
    {
        return Err(ErrorCode::RateLimited.into());
    }
    Ok(response)
}
