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
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(headers, REFERRER_POLICY, "same-origin");
    answer
}

/// Middleware for answers that are data: never kept, and nothing to be run or framed.
pub async fn data(request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    default(headers, CACHE_CONTROL, "no-store");
    let policy = "default-src 'none'; frame-ancestors 'none'";
    default(headers, CONTENT_SECURITY_POLICY, policy);
    answer
}

fn default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers
        .entry(name)
        .or_insert(HeaderValue::from_static(value));
}
