//! The page of a form that was posted to a server function: where the browser goes on.

use http::header::{HOST, REFERER};
use http::request::Parts;
use url::{Position, Url};

use crate::request_context::RequestContext;
use crate::server_fns::{CHANGE_PASSWORD_PATH, DELETE_ACCOUNT_PATH, LOG_IN_PATH, REGISTER_PATH};
use crate::{AppContext, local_path};

/// The page of the form that was posted to a server function, if one was.
pub fn posted_form_page(ctx: &RequestContext) -> Option<String> {
    let is_posted = ctx.is_form() && ctx.path().starts_with("/_app/");
    is_posted.then(|| form_page(ctx.app_context(), ctx.request()))
}

/// Where the form is that was posted: the page of ours that the browser says, or else where such a form is.
pub fn form_page(context: &AppContext, parts: &Parts) -> String {
    sender_page(context, parts).unwrap_or_else(|| page_of(parts.uri.path()).to_owned())
}

/// Where such a form is.
pub fn page_of(form: &str) -> &'static str {
    match form {
        LOG_IN_PATH => "/login",
        REGISTER_PATH => "/register",
        CHANGE_PASSWORD_PATH | DELETE_ACCOUNT_PATH => "/account",
        _ => "/apps",
    }
}

/// The path of the page of ours that the form was sent from, as the browser says.
fn sender_page(context: &AppContext, parts: &Parts) -> Option<String> {
    let text = |name| parts.headers.get(name)?.to_str().ok();
    let sender = Url::parse(text(REFERER)?).ok()?;
    let is_ours = sender.origin().ascii_serialization() == context.base_url
        || text(HOST) == Some(&sender[Position::BeforeHost..Position::AfterPort]);
    let page = local_path(&sender[Position::BeforePath..Position::AfterQuery])?;
    is_ours.then(|| page.to_owned())
}
