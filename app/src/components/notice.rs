//! Notes: what went well, what did not, and what to mind.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use crate::i18n::message;
use crate::request_context::RequestContext;
use crate::server_fns::SubmittedFields;

/// How a note is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing but said.
    Info,
    /// It worked.
    Success,
    /// Mind this.
    Warning,
    /// It did not work.
    Error,
}

/// A note that assistive technology reads out when the page opens.
#[component]
pub fn Note(tone: Tone, children: Children) -> impl IntoView {
    let (class, role) = match tone {
        Tone::Info => ("note", "note"),
        Tone::Success => ("note success", "status"),
        Tone::Warning => ("note warning", "note"),
        Tone::Error => ("note error", "alert"),
    };
    view! {
        <div class=class role=role>
            {children()}
        </div>
    }
}

/// Says what a form has done, if it led here after it (`?done=`).
#[component]
pub fn SuccessNote(
    /// The word for what was done.
    what: &'static str,
    text: &'static str,
) -> impl IntoView {
    let ctx = RequestContext::current();
    let done = ctx.query("done").as_deref() == Some(what);
    done.then(|| {
        view! {
            <Note tone=Tone::Success>
                <p>{text}</p>
            </Note>
        }
    })
}

/// Why the form `form` was refused, if it led back here, or that it was not sent, if the login came between.
#[component]
pub fn FormErrorNote(form: &'static str) -> impl IntoView {
    let ctx = RequestContext::current();
    if SubmittedFields::is_unsent(&ctx, form) {
        let unsent = view! {
            <Note tone=Tone::Warning>
                <p>{ctx.texts().site.unsent}</p>
            </Note>
        };
        return Some(unsent.into_any());
    }
    let mine = ctx.query("form").as_deref() == Some(form);
    let code = ctx.form_error().filter(|_| mine)?;
    Some(view! { <ErrorNote code /> }.into_any())
}

/// Why something was refused.
#[component]
pub fn ErrorNote(code: ErrorCode) -> impl IntoView {
    view! {
        <Note tone=Tone::Error>
            <ErrorMessage code />
        </Note>
    }
}

/// The sentence of a code, with the way to the plans where one would help.
#[component]
fn ErrorMessage(code: ErrorCode) -> impl IntoView {
    let ctx = RequestContext::current();
    let upgrade = code.has_upgrade_url().then(|| {
        view! {
            " "
            <a href="/pricing">{ctx.texts().site.upgrade}</a>
        }
    });
    view! { <p>{message(ctx.lang(), code)} {upgrade}</p> }
}
