//! Access that must stay good for longer than a moment: meanwhile a key may be deleted, a session ended, or the app deleted.

use std::time::Duration;

use axum::extract::FromRequestParts;
use futures_util::future::BoxFuture;
use hato_service::ServiceError;
use http::request::Parts;
use tokio::time::Instant;

use crate::http::error::{ApiError, ApiResult};
use crate::state::AppState;

/// How long an answer goes on before its access is checked again.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// An access that is asked for once more.
type CheckAgain = for<'r> fn(&'r mut Parts, &'r AppState) -> BoxFuture<'r, ApiResult<()>>;

/// The checks of an access that a request asked for, in its extensions.
#[derive(Clone)]
struct AccessChecks {
    state: AppState,
    check_again: CheckAgain,
}

/// A request whose answer goes on, and whose access must stay good meanwhile.
pub struct LastingAccess {
    parts: Parts,
    checked_at: Instant,
}

/// Remembers that the request asks for the access `A`.
pub(super) fn remember<A>(parts: &mut Parts, state: &AppState)
where
    A: FromRequestParts<AppState, Rejection = ApiError> + 'static,
{
    parts.extensions.insert(AccessChecks {
        state: AppState::clone(state),
        check_again: ask_for::<A>,
    });
}

fn ask_for<'r, A>(parts: &'r mut Parts, state: &'r AppState) -> BoxFuture<'r, ApiResult<()>>
where
    A: FromRequestParts<AppState, Rejection = ApiError> + 'static,
{
    Box::pin(async move { A::from_request_parts(parts, state).await.map(drop) })
}

/// Asks once more for the access that the request has asked for, and refuses as that does; there is nothing to refuse where it has asked
/// for none.
pub async fn check_again(parts: &mut Parts) -> ApiResult<()> {
    if let Some(checks) = parts.extensions.get::<AccessChecks>().cloned() {
        (checks.check_again)(parts, &checks.state).await?;
    }
    Ok(())
}

impl LastingAccess {
    /// That of a request whose access was just found to be good.
    pub fn new(parts: Parts) -> ApiResult<Self> {
        if parts.extensions.get::<AccessChecks>().is_none() {
            return Err(ServiceError::internal("a request that asked for no access").into());
        }
        Ok(Self {
            parts,
            checked_at: Instant::now(),
        })
    }

    /// The checks of the beginning, with their refusals, unless they were made within the last 5 s.
    pub async fn check_if_due(&mut self) -> ApiResult<()> {
        if self.checked_at.elapsed() < CHECK_INTERVAL {
            return Ok(());
        }
        self.check().await
    }

    /// The checks of the beginning, with their refusals.
    pub async fn check(&mut self) -> ApiResult<()> {
        check_again(&mut self.parts).await?;
        self.checked_at = Instant::now();
        Ok(())
    }
}
