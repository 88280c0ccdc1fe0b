//! Statistics (SPEC 4.5, CONTRACT 4).

use axum::Json as Answer;
use axum::extract::State;
use hato_domain::wire::Stats;

use crate::http::access::{Manager, ManagerOfQuery};
use crate::http::error::ApiResult;
use crate::state::Shared;

/// `GET /api/v1/stats`: of the key's app, or of the session's app that the query names.
pub async fn show(
    State(state): State<Shared>,
    ManagerOfQuery(access): ManagerOfQuery,
) -> ApiResult<Answer<Stats>> {
    Ok(Answer(state.service.stats(&access).await?))
}

/// `GET /api/v1/apps/{appId}/stats`.
pub async fn of_app(
    State(state): State<Shared>,
    Manager { access, .. }: Manager,
) -> ApiResult<Answer<Stats>> {
    Ok(Answer(state.service.stats(&access).await?))
}
