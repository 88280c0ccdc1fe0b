//! What browsers report of notifications (CONTRACT 15).

use axum::extract::{Request, State};
use hato_domain::wire;
use http::StatusCode;
use http_body_util::{BodyExt as _, Limited};

use crate::http::client_address::ClientInfo;
use crate::state::AppState;

/// Most bytes of a report that are read; the longest that means anything has some 600.
const MAX_REPORT_BYTES: usize = 4 * 1024;

/// `POST /api/v1/events`: takes the report to be counted, and answers the same whatever it is. No credential comes first, and nobody learns
/// whether a token is one: nothing is judged before the answer. Of a client that has a hundred in work no further one is read.
pub async fn report(
    State(state): State<AppState>,
    client: ClientInfo,
    request: Request,
) -> StatusCode {
    let permit = state
        .reports
        .try_acquire(client.rate_limit_key, client.site);
    let Some(_permit) = permit else {
        return StatusCode::NO_CONTENT;
    };
    let body = Limited::new(request.into_body(), MAX_REPORT_BYTES);
    if let Ok(body) = body.collect().await
        && let Ok(report) = wire::read(&body.to_bytes())
    {
        state.service.report_engagement(&report);
    }
    StatusCode::NO_CONTENT
}
