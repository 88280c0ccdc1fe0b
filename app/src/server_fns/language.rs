//! The switch between the dashboard's languages, which a cookie remembers.

#[cfg(feature = "ssr")]
use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::flash::{self, NEW_KEY, SUBMITTED_FIELDS};
#[cfg(feature = "ssr")]
use crate::language::{COOKIE, COOKIE_LIFETIME, Lang};
#[cfg(feature = "ssr")]
use crate::local_path::local_path;
#[cfg(feature = "ssr")]
use crate::request_context::RequestContext;

/// Remembers the language and leads back to the page `next`.
#[server(name = ChooseLanguage, prefix = "/_app", endpoint = "language")]
pub async fn choose_language(
    /// The tag of the language, `ja` or `en`.
    #[server(default)]
    lang: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
    /// What the page shows once, as it was handed to it.
    #[server(default)]
    new_key: String,
    /// What was typed into the page's form, as it was handed to it.
    #[server(default)]
    typed: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/", "language");
    form.respond(async {
        let lang = Lang::parse(&lang).ok_or(ErrorCode::InvalidInput)?;
        let ctx = form.ctx();
        ctx.set_cookie(COOKIE, lang.as_str(), "/", COOKIE_LIFETIME);
        Ok(lead_back(ctx, &next, &new_key, &typed))
    })
    .await
}

/// The page `next`, to which goes along what was handed to it before.
#[cfg(feature = "ssr")]
pub(super) fn lead_back(ctx: &RequestContext, next: &str, new_key: &str, typed: &str) -> String {
    let next = local_path(next).unwrap_or("/");
    let path = next.split('?').next().unwrap_or(next);
    flash::hand_on(ctx, NEW_KEY, path, new_key);
    flash::hand_on(ctx, SUBMITTED_FIELDS, path, typed);
    next.to_owned()
}
