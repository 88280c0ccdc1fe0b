//! The ways through a list that is newest first.

use hato_domain::Cursor;
use hato_domain::wire::Page;
use leptos::prelude::*;

use crate::request_context::RequestContext;

/// Links to the page of `older` items and back to the newest ones at `path`, where there are any.
#[component]
pub fn Pager(path: String, older: Option<String>) -> impl IntoView {
    let ctx = RequestContext::current();
    let texts = &ctx.texts().app.frame;
    let newest = ctx.query("before").map(|_| {
        view! {
            <a class="button quiet small" href=path>
                {texts.newest}
            </a>
        }
    });
    let older = older.map(|path| {
        view! {
            <a class="button quiet small" href=path rel="next">
                {texts.older}
            </a>
        }
    });
    (newest.is_some() || older.is_some()).then(|| view! { <p class="pager">{newest} {older}</p> })
}

/// The path of the page after this one of the list at `path`, which may have a query, if there is one.
pub fn older<T>(path: &str, page: &Page<T>) -> Option<String> {
    let (before, before_id) = (page.next_before?, page.next_before_id.clone());
    Some(older_than(path, &Cursor { before, before_id }))
}

/// The path of the page that begins after `last` of the list at `path`, which may have a query.
pub fn older_than(path: &str, last: &Cursor) -> String {
    let before = last.before.0;
    let id = last.before_id.as_deref().unwrap_or_default();
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}before={before}&before_id={id}")
}
