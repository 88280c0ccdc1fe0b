//! What the answer to a form hands to the next page, once: a cookie of a minute that the page takes away (with scripts
//! off there is no other way past a redirect that keeps secrets and drafts out of addresses and logs).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cookie::{self, SetCookie};
use crate::request_context::RequestContext;

/// The cookie that hands a raw key to the page that shows it once.
pub const NEW_KEY: &str = "hato_new_key";

/// The cookie that hands typed fields back to their form.
pub const SUBMITTED_FIELDS: &str = "hato_typed";

/// Long enough for the redirect.
const LIFETIME: Duration = Duration::from_mins(1);

/// Long enough for logging in before.
const LOGIN_LIFETIME: Duration = Duration::from_mins(10);

/// Longest value that browsers keep, with room for the name and the attributes.
const MAX_BYTES: usize = 3_800;

/// Hands `value` to the page at `path`. One that is too large for a cookie is dropped.
pub fn set<T: Serialize>(ctx: &RequestContext, name: &str, path: &str, value: &T) {
    set_for(LIFETIME, ctx, name, path, value);
}

/// Hands `value` to the page at `path`, to which the login leads first.
pub fn set_across_login<T: Serialize>(ctx: &RequestContext, name: &str, path: &str, value: &T) {
    set_for(LOGIN_LIFETIME, ctx, name, path, value);
}

fn set_for<T: Serialize>(
    lifetime: Duration,
    ctx: &RequestContext,
    name: &str,
    path: &str,
    value: &T,
) {
    let json = serde_json::to_vec(value).unwrap_or_default();
    let value = URL_SAFE_NO_PAD.encode(json);
    if value.len() <= MAX_BYTES {
        set_cookie(ctx, name, path, &value, lifetime);
    }
}

/// Takes what was handed to this page.
pub fn take<T: DeserializeOwned>(ctx: &RequestContext, name: &str) -> Option<T> {
    let value = cookie::read(ctx.headers(), name)?;
    set_cookie(ctx, name, ctx.path(), "", Duration::ZERO);
    let json = URL_SAFE_NO_PAD.decode(value).ok()?;
    serde_json::from_slice(&json).ok()
}

/// Whether this page shows what no other will: the answer to a form that was posted to it, or what was handed to it.
pub fn is_one_time(ctx: &RequestContext) -> bool {
    let has_cookie = |name| cookie::read(ctx.headers(), name).is_some();
    ctx.is_form() || has_cookie(NEW_KEY) || has_cookie(SUBMITTED_FIELDS)
}

fn set_cookie(ctx: &RequestContext, name: &str, path: &str, value: &str, max_age: Duration) {
    let secure = ctx.app_context().secure_cookies;
    let cookie = SetCookie {
        name,
        value,
        path,
        max_age,
        secure,
    };
    ctx.set_cookie(&cookie.to_string());
}
