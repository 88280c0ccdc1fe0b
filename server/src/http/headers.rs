//! Headers of every answer that did not set its own.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

/// Middleware: no sniffing, no referrer to strangers.
pub async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    set_default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_default(headers, REFERRER_POLICY, "same-origin");
    response
}

/// Middleware for answers that are data: never kept, and nothing to be run or framed.
pub async fn protect_data(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    set_default(headers, CACHE_CONTROL, "no-store");
    let policy = "default-src 'none'; frame-ancestors 'none'";
    set_default(headers, CONTENT_SECURITY_POLICY, policy);
    response
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers
        .entry(name)
        .or_insert(HeaderValue::from_static(value));
}
