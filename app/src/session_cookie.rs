//! The cookie that carries a session's token (CONTRACT 3), and the browser that it is handed to.

use std::time::Duration;

use hato_service::SESSION_LIFETIME;
use http::HeaderMap;
use http::header::USER_AGENT;

use crate::cookie::{self, SetCookie};

/// The cookie's name.
pub const NAME: &str = "hato_session";

/// The `Set-Cookie` value that hands a session's token to the browser, `Secure` or not.
pub fn set(token: &str, secure: bool) -> String {
    build(token, SESSION_LIFETIME, secure)
}

/// The `Set-Cookie` value that removes it.
pub fn clear(secure: bool) -> String {
    build("", Duration::ZERO, secure)
}

/// The token that a request carries in its cookie.
pub fn read(headers: &HeaderMap) -> Option<String> {
    cookie::read(headers, NAME)
}

/// What the browser that sends the request calls itself.
pub fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT)?.to_str().ok()
}

fn build(value: &str, max_age: Duration, secure: bool) -> String {
    let cookie = SetCookie {
        name: NAME,
        value,
        path: "/",
        max_age,
        secure,
    };
    cookie.to_string()
}
