//! The cookie that carries a session's token (CONTRACT 3), and the browser that it is handed to.

use std::time::Duration;

use hato_service::SESSION_LIFETIME;
use http::HeaderMap;
use http::header::USER_AGENT;

use crate::cookie;

/// The cookie's name, as CONTRACT 3 gives it.
pub const NAME: &str = "hato_session";

/// The `Set-Cookie` value that hands a session's token to the browser, `Secure` or not.
pub fn set(token: &str, secure: bool) -> String {
    cookie::set(NAME, token, "/", SESSION_LIFETIME, secure)
}

/// The `Set-Cookie` value that removes the session's cookie.
pub fn clear(secure: bool) -> String {
    cookie::set(NAME, "", "/", Duration::ZERO, secure)
}

/// The token that a request carries in its cookie.
pub fn read(headers: &HeaderMap) -> Option<String> {
    cookie::read(headers, NAME)
}

/// What the browser that sends the request calls itself.
pub fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT)?.to_str().ok()
}
