//! Refusals as pages, for people whose browser went to an address of /auth (CONTRACT 2).

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::ACCEPT;
use http::{HeaderMap, Method};

use crate::dashboard;
use crate::state::AppState;

/// Middleware: explains what a GET was refused with as a page, if a page was asked for.
pub async fn render_error_pages(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::GET || !wants_page(request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), Body::empty());
    let response = next.run(Request::from_parts(parts, body)).await;
    dashboard::into_error_page(&state, request, response).await
}

fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|types| types.contains("text/html"))
}
