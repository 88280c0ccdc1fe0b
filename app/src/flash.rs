//! What the response to a form hands to the next page, once, in a cookie that the page deletes when it has read it.
//!
//! The response to a form is a redirect. Without scripts, a cookie is the only way past it that keeps secrets and drafts out
//! of addresses and logs. It ends by itself after a minute, or after ten where somebody has to log in before.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cookie;
use crate::request_context::RequestContext;

/// The cookie that hands a raw key to the page that shows it once.
pub const NEW_KEY: &str = "hato_new_key";

/// The cookie that hands typed fields back to their form.
pub const SUBMITTED_FIELDS: &str = "hato_typed";

/// How long a value waits for the redirect.
pub const LIFETIME: Duration = Duration::from_mins(1);

/// How long a value waits for somebody who has to log in before.
pub const LOGIN_LIFETIME: Duration = Duration::from_mins(10);

/// Longest value that browsers keep, with room for the name and the attributes.
const MAX_BYTES: usize = 3_800;

/// Hands `value` to the page at `path`. One that is too large for a cookie is dropped.
pub fn set<T: Serialize>(
    ctx: &RequestContext,
    name: &str,
    path: &str,
    value: &T,
    lifetime: Duration,
) {
    let json = serde_json::to_vec(value).unwrap_or_default();
    let value = URL_SAFE_NO_PAD.encode(json);
    if value.len() <= MAX_BYTES {
        ctx.set_cookie(name, &value, path, lifetime);
    }
}

/// Takes what was handed to this page.
pub fn take<T: DeserializeOwned>(ctx: &RequestContext, name: &str) -> Option<T> {
    let value = cookie::read(ctx.headers(), name)?;
    ctx.set_cookie(name, "", ctx.path(), Duration::ZERO);
    let json = URL_SAFE_NO_PAD.decode(value).ok()?;
    serde_json::from_slice(&json).ok()
}

/// Hands a cookie's value, as a page got it, to the page at `path`; one that is none is dropped.
pub fn hand_on(ctx: &RequestContext, name: &str, path: &str, value: &str) {
    let is_value = !value.is_empty() && URL_SAFE_NO_PAD.decode(value).is_ok();
    if is_value && value.len() <= MAX_BYTES {
        ctx.set_cookie(name, value, path, LIFETIME);
    }
}
