//! Who asks, and what they may: rights of `hato_service::access` as parameters of handlers (CONTRACT 2, 3).
//!
//! The checks run in the order of CONTRACT 2: credential, same origin, missing secret, scope (and whether a review is due), app. Where those before and after
//! them are made: docs/ARCHITECTURE.md, "To add an endpoint".

mod app_id;
mod credential;
mod lasting;
mod principal;
mod renewal;
mod required_secret;

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use hato_service::access::{AccountPrincipal, MayManage, MaySend, MaySubscribe};
use http::request::Parts;

pub use credential::Credential;
pub use lasting::{LastingAccess, check_again};
pub use renewal::RenewedSession;
pub use required_secret::{EncryptionKey, NoSecret, Pepper, RequiredSecret};

use self::app_id::{path_app_id, query_app_id};
use self::principal::{RequestPrincipal, api_key_principal, authenticate};
use super::error::{ApiError, ApiResult};
use super::same_origin;
use crate::state::AppState;

/// A key's right to register and read the public key (SPEC 4.1, 4.4): any scope, no session.
pub struct SubscribeAccess(pub MaySubscribe);

/// A key's right to change the subscriptions of the app in the path (SPEC 4.2, 4.3): any scope, no session.
pub struct PathSubscribeAccess(pub MaySubscribe);

/// A key's right to send to its own app (SPEC 4.8, 4.9): notify or full, no session. A broadcast takes [`ManageAccess`].
pub struct KeySendAccess(pub MaySend);

/// A full key's right to manage its app, no session, and not from a page of another site: for MCP (CONTRACT 9).
pub struct FullKeyAccess(pub MayManage);

/// The right to manage the app in the path: a session of its owner, or a full key of it.
pub struct ManageAccess<N = NoSecret> {
    /// The right, which names the app and who acts.
    pub access: MayManage,
    needs: PhantomData<N>,
}

/// The right to manage the app that the query names as `appId`: a full key of it, or a session of its owner. Without the
/// member it is the key's app, or the owner's only one (CONTRACT 3).
pub struct QueryManageAccess(pub MayManage);

/// Whoever is logged in; a key is `INSUFFICIENT_SCOPE`.
pub struct SessionAccess<N = NoSecret> {
    /// The account whose session it is.
    pub owner: AccountPrincipal,
    needs: PhantomData<N>,
}

/// The right of whoever is logged in to manage the app in the path; a key is `INSUFFICIENT_SCOPE`.
pub struct OwnerAccess<N = NoSecret> {
    /// The account whose session it is.
    pub owner: AccountPrincipal,
    /// The right, which names the app and who acts.
    pub access: MayManage,
    needs: PhantomData<N>,
}

/// The right to end the session that is shown, also while a review is due.
pub struct LogOutAccess;

impl FromRequestParts<AppState> for SubscribeAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let key = api_key_principal::<Self>(parts, state).await?;
        Ok(Self(key.may_subscribe()))
    }
}

impl FromRequestParts<AppState> for PathSubscribeAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let key = api_key_principal::<Self>(parts, state).await?;
        let app = path_app_id(parts).await?;
        Ok(Self(key.may_subscribe_to(&app)?))
    }
}

impl FromRequestParts<AppState> for KeySendAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let key = api_key_principal::<Self>(parts, state).await?;
        EncryptionKey::require(&state.secrets)?;
        Ok(Self(key.may_send()?))
    }
}

impl FromRequestParts<AppState> for FullKeyAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let key = api_key_principal::<Self>(parts, state).await?;
        same_origin::require_for_mcp(parts, &state.base_url)?;
        Ok(Self(key.may_manage_own()?))
    }
}

impl<N: RequiredSecret> FromRequestParts<AppState> for ManageAccess<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let principal = authenticate::<Self>(parts, state).await?;
        principal.require_same_origin(parts, state)?;
        N::require(&state.secrets)?;
        principal.require_reviewed(parts)?;
        let app = path_app_id(parts).await?;
        let access = match principal {
            RequestPrincipal::Key(key) => key.may_manage(&app)?,
            RequestPrincipal::Session { owner, .. } => state.service.manage(&owner, &app).await?,
        };
        let needs = PhantomData;
        Ok(Self { access, needs })
    }
}

impl FromRequestParts<AppState> for QueryManageAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let principal = authenticate::<Self>(parts, state).await?;
        principal.require_same_origin(parts, state)?;
        principal.require_reviewed(parts)?;
        let access = match principal {
            RequestPrincipal::Key(key) => {
                let own = key.may_manage_own()?;
                query_app_id(parts)?.map_or(Ok(own), |app| key.may_manage(&app))?
            }
            RequestPrincipal::Session { owner, .. } => match query_app_id(parts)? {
                Some(app) => state.service.manage(&owner, &app).await?,
                None => state.service.manage_only(&owner).await?,
            },
        };
        Ok(Self(access))
    }
}

impl<N: RequiredSecret> FromRequestParts<AppState> for SessionAccess<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let owner = session_owner::<Self, N>(parts, state).await?;
        let needs = PhantomData;
        Ok(Self { owner, needs })
    }
}

impl<N: RequiredSecret> FromRequestParts<AppState> for OwnerAccess<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let owner = session_owner::<Self, N>(parts, state).await?;
        let app = path_app_id(parts).await?;
        let access = state.service.manage(&owner, &app).await?;
        let needs = PhantomData;
        Ok(Self {
            owner,
            access,
            needs,
        })
    }
}

/// Whoever is logged in, for the access `A` that needs the secret `N`.
async fn session_owner<A, N>(parts: &mut Parts, state: &AppState) -> ApiResult<AccountPrincipal>
where
    A: FromRequestParts<AppState, Rejection = ApiError> + 'static,
    N: RequiredSecret,
{
    let principal = authenticate::<A>(parts, state).await?;
    principal.require_same_origin(parts, state)?;
    N::require(&state.secrets)?;
    principal.require_reviewed(parts)?;
    Ok(principal.require_session()?)
}

impl FromRequestParts<AppState> for LogOutAccess {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let principal = authenticate::<Self>(parts, state).await?;
        principal.require_same_origin(parts, state)?;
        principal.require_session()?;
        Ok(Self)
    }
}
