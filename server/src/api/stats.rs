//! Statistics (SPEC 4.5, CONTRACT 4).

use axum::Json;
use axum::extract::State;
use hato_domain::wire::Stats;

use crate::http::access::{ManageAccess, QueryManageAccess};
use crate::http::error::ApiResult;
use crate::state::AppState;

/// `GET /api/v1/stats`: of the key's app, or of the session's app that the query names.
pub async fn show(
    State(state): State<AppState>,
    QueryManageAccess(access): QueryManageAccess,
) -> ApiResult<Json<Stats>> {
    Ok(Json(state.service.stats(&access).await?))
}

/// `GET /api/v1/apps/{appId}/stats`: the statistics of the app in the path (CONTRACT 4).
pub async fn show_for_app(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
) -> ApiResult<Json<Stats>> {
    Ok(Json(state.service.stats(&access).await?))
}
