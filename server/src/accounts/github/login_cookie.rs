//! What a browser keeps while its user is at GitHub: the secret that its state is bound to, and where to go afterwards.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_app::cookie;
use http::HeaderMap;

const NAME: &str = "hato_github";
/// As long as a state is good.
const LIFETIME: Duration = Duration::from_mins(10);

/// What the cookie holds.
pub struct LoginCookie {
    /// What binds the state to this browser.
    pub secret: String,
    /// The page to come back to, as it was asked for.
    pub next: Option<String>,
}

impl LoginCookie {
    /// From the cookie of a request.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let value = cookie::read(headers, NAME)?;
        let (secret, next) = value.split_once('.').unwrap_or((&value, ""));
        let next = URL_SAFE_NO_PAD.decode(next).ok();
        let next = next.and_then(|bytes| String::from_utf8(bytes).ok());
        Some(Self {
            secret: secret.to_owned(),
            next,
        })
    }

    /// The `Set-Cookie` value that keeps it; only requests below /auth carry it.
    pub fn to_set_cookie(&self, secure: bool) -> String {
        let next = self.next.as_deref().unwrap_or_default();
        let value = format!("{}.{}", self.secret, URL_SAFE_NO_PAD.encode(next));
        set_cookie_value(&value, LIFETIME, secure)
    }

    /// The `Set-Cookie` value that removes it.
    pub fn clear(secure: bool) -> String {
        set_cookie_value("", Duration::ZERO, secure)
    }
}

fn set_cookie_value(value: &str, lifetime: Duration, secure: bool) -> String {
    cookie::set(NAME, value, "/auth", lifetime, secure)
}
