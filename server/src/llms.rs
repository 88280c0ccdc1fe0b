//! `/llms.txt`: what language models should know of this server, in the form of llmstxt.org.

use axum::extract::State;
use axum::response::IntoResponse;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::state::AppState;

const TEXT: &str = include_str!("llms.txt");

/// The text, with this server's address.
pub async fn show(State(state): State<AppState>) -> impl IntoResponse {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, TEXT.replace("{base_url}", state.base_url.as_str()))
}
