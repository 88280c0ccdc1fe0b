//! A session whose end has moved: its cookie is set anew, for the browser keeps an end of its own.

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hato_app::session_cookie;
use http::Extensions;
use http::header::SET_COOKIE;

use crate::state::AppState;

/// The token of a session that was renewed by the request in whose extensions this is.
#[derive(Clone, Default)]
pub struct RenewedSession(Arc<OnceLock<String>>);

impl RenewedSession {
    /// Records that the session under `token` was renewed.
    pub fn record(extensions: &Extensions, token: String) {
        if let Some(Self(renewed)) = extensions.get() {
            renewed.get_or_init(|| token);
        }
    }

    /// Middleware: sets the cookie anew, unless the response has something of its own to say about it.
    pub async fn refresh_cookie(
        State(state): State<AppState>,
        mut request: Request,
        next: Next,
    ) -> Response {
        let renewed = Self::default();
        request.extensions_mut().insert(renewed.clone());
        let response = next.run(request).await;
        if let Some(token) = renewed.0.get()
            && !response.headers().contains_key(SET_COOKIE)
        {
            let cookie = session_cookie::set(token, state.secure_cookies());
            return ([(SET_COOKIE, cookie)], response).into_response();
        }
        response
    }
}
