//! The headers of every page: what a browser may load and do, where it may send, and what may be kept (CONTRACT 11).

use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use leptos::nonce::use_nonce;

use crate::request_context::RequestContext;

/// Sets the Content-Security-Policy of the page being rendered: its inline scripts run by the nonce of this response alone.
/// Leptos makes that nonce and writes it on its inline scripts by itself (its feature `nonce`).
pub fn set_content_security_policy(ctx: &RequestContext) {
    let nonce = use_nonce().map_or_else(String::new, |nonce| format!(" 'nonce-{nonce}'"));
    ctx.set_header(CONTENT_SECURITY_POLICY, &policy(&nonce));
}

/// The headers of answers that did not set their own.
pub async fn add_defaults(mut response: Response) -> Response {
    // A redirect tells the state of its visitor: logged in, logged out, refused.
    let cache = if response.status().is_redirection() {
        "no-store"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    set_default(headers, CONTENT_SECURITY_POLICY, &policy(""));
    set_default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_default(headers, REFERRER_POLICY, "same-origin");
    set_default(headers, CACHE_CONTROL, cache);
    set_default(headers, VARY, "accept-language, cookie");
    response
}

/// The Content-Security-Policy of the dashboard; the API has another (`server/src/router.rs`).
///
/// Icons in a notification's preview may come from anywhere; nothing else may.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{nonce} 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' https: data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.entry(name).or_insert(value);
    }
}
