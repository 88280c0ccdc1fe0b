//! The headers of every page: what a browser may load and do, where it may send, and what may be kept (CONTRACT 11).

use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use leptos::nonce::use_nonce;

use crate::visit::Visit;

/// Sets the policy of the page being rendered: its inline scripts run by the nonce of this answer alone.
pub fn protect(visit: &Visit) {
    let nonce = use_nonce().map_or_else(String::new, |nonce| format!(" 'nonce-{nonce}'"));
    visit.set_header(CONTENT_SECURITY_POLICY, &policy(&nonce));
}

/// The headers of answers that did not set their own.
pub async fn complete(mut answer: Response) -> Response {
    // A redirect tells where its visitor stands: signed in, signed out, refused.
    let cache = if answer.status().is_redirection() {
        "no-store"
    } else {
        "private, no-cache"
    };
    let headers = answer.headers_mut();
    default(headers, CONTENT_SECURITY_POLICY, &policy(""));
    default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(headers, REFERRER_POLICY, "same-origin");
    default(headers, CACHE_CONTROL, cache);
    default(headers, VARY, "accept-language, cookie");
    answer
}

/// Icons in a notification's preview may come from anywhere; nothing else may.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{nonce} 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' https: data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

fn default(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.entry(name).or_insert(value);
    }
}
