//! Who stands behind a request, once the credential that it shows was found to be good.

use axum::extract::FromRequestParts;
use hato_domain::ErrorCode;
use hato_service::access::{AccountPrincipal, ApiKeyPrincipal};
use http::request::Parts;

use super::credential::Credential;
use super::lasting;
use super::renewal::RenewedSession;
use crate::http::error::{ApiError, ApiResult};
use crate::http::same_origin;
use crate::state::{AppState, AppStateInner};

/// Who was found behind a credential.
pub enum RequestPrincipal {
    /// A program with a key.
    Key(ApiKeyPrincipal),
    /// Somebody who is logged in.
    Session {
        /// The account that has logged in, which owns apps.
        owner: AccountPrincipal,
        /// Whether the token came as a cookie.
        by_cookie: bool,
    },
}

impl RequestPrincipal {
    /// The key, for endpoints that take only keys; a session is `UNAUTHORIZED` there (CONTRACT 3).
    pub fn require_key(self) -> Result<ApiKeyPrincipal, ErrorCode> {
        match self {
            Self::Key(key) => Ok(key),
            Self::Session { .. } => Err(ErrorCode::Unauthorized),
        }
    }

    /// The account, for endpoints that take only sessions; a key is `INSUFFICIENT_SCOPE` there (CONTRACT 3).
    pub fn require_session(self) -> Result<AccountPrincipal, ErrorCode> {
        match self {
            Self::Session { owner, .. } => Ok(owner),
            Self::Key(_) => Err(ErrorCode::InsufficientScope),
        }
    }

    /// While apps wait for their owner's review, a session changes nothing: `INSUFFICIENT_SCOPE` (CONTRACT 3).
    pub fn require_reviewed(&self, parts: &Parts) -> Result<(), ErrorCode> {
        match self {
            Self::Session { owner, .. } if !same_origin::is_safe(&parts.method) => {
                owner.require_reviewed()
            }
            Self::Session { .. } | Self::Key(_) => Ok(()),
        }
    }

    /// Only a cookie goes along without its owner's doing.
    pub fn require_same_origin(
        &self,
        parts: &Parts,
        state: &AppStateInner,
    ) -> Result<(), ErrorCode> {
        match self {
            Self::Session {
                by_cookie: true, ..
            } if !same_origin::is_safe(&parts.method) => {
                same_origin::require_with_cookie(parts, &state.base_url)
            }
            Self::Session { .. } | Self::Key(_) => Ok(()),
        }
    }
}

/// Finds out who shows the credential of a request that asks for the access `A`, which can be asked for again from then on; a session
/// whose end moved is noted, so that its cookie is set anew. Refuses with `UNAUTHORIZED` ([`Credential::from_headers`]),
/// `INVALID_API_KEY` or `INVALID_SESSION` (the service), and `CONFIG_ERROR` for a key without a pepper.
pub async fn authenticate<A>(parts: &mut Parts, state: &AppState) -> ApiResult<RequestPrincipal>
where
    A: FromRequestParts<AppState, Rejection = ApiError> + 'static,
{
    lasting::remember::<A>(parts, state);
    match Credential::from_headers(&parts.headers)? {
        Credential::Key(raw) => Ok(RequestPrincipal::Key(
            state.service.authenticate_key(&raw).await?,
        )),
        Credential::Session { token, by_cookie } => {
            let session = state.service.authenticate_session(&token).await?;
            if session.renewed && by_cookie {
                RenewedSession::record(&parts.extensions, token);
            }
            let owner = session.owner;
            Ok(RequestPrincipal::Session { owner, by_cookie })
        }
    }
}

/// Finds out whose key a request shows; refuses as [`authenticate`] and [`RequestPrincipal::require_key`] do.
pub async fn api_key_principal<A>(parts: &mut Parts, state: &AppState) -> ApiResult<ApiKeyPrincipal>
where
    A: FromRequestParts<AppState, Rejection = ApiError> + 'static,
{
    Ok(authenticate::<A>(parts, state).await?.require_key()?)
}
