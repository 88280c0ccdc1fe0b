//! An id for every request: in its log lines and on its answer (CONTRACT 2).

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use hato_app::RefusalCode;
use hato_domain::ErrorCode;
use http::{HeaderName, HeaderValue};
use tokio::time::Instant;
use tracing::Instrument as _;
use uuid::Uuid;

use super::request_labels;

/// The header of the response. What a client sends under this name is ignored: it would end up in the log.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Middleware: names the request, and logs how it was answered: at `info` if it was refused, at `warn` if it failed.
pub async fn assign(request: Request, next: Next) -> Response {
    let id = Uuid::new_v4().simple().to_string();
    // Queries hold cursors and addresses of pages to return to, which the log does not need.
    let span = tracing::info_span!(
        "request",
        id,
        method = %request_labels::method(request.method()),
        path = request_labels::path(request.uri().path()),
        send = tracing::field::Empty,
    );
    let header = HeaderValue::from_str(&id);
    let mut response = timed(request, next).instrument(span).await;
    if let Ok(id) = header {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

async fn timed(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let response = next.run(request).await;
    log(&response, began.elapsed());
    response
}

fn log(response: &Response, took: Duration) {
    let status = response.status().as_u16();
    let duration_us = took.as_micros();
    let code = refusal_code(response).map(ErrorCode::as_str);
    if response.status().is_server_error() {
        tracing::warn!(status, code, duration_us, "failed");
    } else if response.status().is_client_error() {
        tracing::info!(status, code, duration_us, "refused");
    } else {
        tracing::debug!(status, duration_us, "answered");
    }
}

/// With what code a request was refused, by an error body or by the dashboard.
fn refusal_code(response: &Response) -> Option<ErrorCode> {
    let code = response.extensions().get();
    code.map(|RefusalCode(code)| *code)
}
