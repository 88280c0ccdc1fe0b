//! Who stands behind a request, once the credential that it shows was found to be good.

use hato_domain::ErrorCode;
use hato_service::access::{AccountPrincipal, ApiKeyPrincipal};
use http::request::Parts;

use super::credential::Credential;
use super::renewal::RenewedSession;
use crate::http::error::ApiResult;
use crate::http::same_origin;
use crate::state::AppStateInner;

/// Who was found behind a credential.
pub enum RequestPrincipal {
    /// A program with a key.
    Key(ApiKeyPrincipal),
    /// Somebody who is signed in.
    Session {
        /// The account.
        owner: AccountPrincipal,
        /// Whether the token came as a cookie.
        by_cookie: bool,
    },
}

impl RequestPrincipal {
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

/// Finds out who shows the credential of a request; a session whose end moved is noted, so that its cookie is set anew.
pub async fn authenticate(parts: &Parts, state: &AppStateInner) -> ApiResult<RequestPrincipal> {
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

/// The same where sessions are not taken: `UNAUTHORIZED`.
pub async fn api_key_principal(parts: &Parts, state: &AppStateInner) -> ApiResult<ApiKeyPrincipal> {
    match authenticate(parts, state).await? {
        RequestPrincipal::Key(key) => Ok(key),
        RequestPrincipal::Session { .. } => Err(ErrorCode::Unauthorized.into()),
    }
}
