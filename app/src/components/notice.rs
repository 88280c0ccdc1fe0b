//! Notes: what went well, what did not, and what to mind.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use crate::i18n::message;
use crate::request_context::RequestContext;
use crate::server_fns::SubmittedFields;

/// How a note is meant; success and errors are announced by assistive technology at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Info,
    Success,
    Warning,
    Error,
}

/// A note in a box.
#[component]
pub fn Note(
    tone: Tone,
    /// The first paragraph; the children come after it.
    #[prop(optional, into)]
    text: Option<String>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let (class, role) = match tone {
        Tone::Info => ("note", "note"),
        Tone::Success => ("note success", "status"),
        Tone::Warning => ("note warning", "note"),
        Tone::Error => ("note error", "alert"),
    };
    view! {
        <div class=class role=role>
            {text.map(|text| view! { <p>{text}</p> })}
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}

/// Says `text` on the page that a form led to after it had done `what` (`?done=`).
#[component]
pub fn SuccessNote(what: &'static str, text: &'static str) -> impl IntoView {
    let ctx = RequestContext::current();
    let done = ctx.query("done").as_deref() == Some(what);
    done.then(|| view! { <Note tone=Tone::Success text /> })
}

/// Why the form `form` was refused, if it led back here, or that it was not sent, if the login came between. Its place is there in
/// any case: `app/scripts/forms.js` fills it in while the page stays.
#[component]
pub fn FormErrorNote(
    form: &'static str,
    /// Whom or what the refused form was about, where the page does not show it.
    #[prop(default = None)]
    about: Option<String>,
) -> impl IntoView {
    let ctx = RequestContext::current();
    let note = if SubmittedFields::is_unsent(&ctx, form) {
        let text = ctx.texts().site.unsent;
        Some(view! { <Note tone=Tone::Warning text /> }.into_any())
    } else {
        let code = ctx.form_refusal(form);
        code.map(|code| view! { <ErrorNote code about /> }.into_any())
    };
    view! {
        <div class="form-error" data-form-error=form>
            {note}
        </div>
    }
}

/// The same of the form in one row of a page that has it in each of its rows.
#[component]
pub fn RowErrorNote(form: &'static str, row: String) -> impl IntoView {
    let code = RequestContext::current().row_refusal(form, &row);
    let note = code.map(|code| view! { <ErrorNote code /> });
    view! {
        <div class="form-error" data-form-error=format!("{form}-{row}")>
            {note}
        </div>
    }
}

/// A note with the sentence of an error code.
#[component]
pub fn ErrorNote(
    code: ErrorCode,
    /// What stands before the sentence.
    #[prop(default = None)]
    about: Option<String>,
) -> impl IntoView {
    view! {
        <Note tone=Tone::Error>
            {about.map(|about| view! { <p><b dir="auto">{about}</b></p> })}
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
            <a href=ctx.pricing_url()>{ctx.texts().site.upgrade}</a>
        }
    });
    view! { <p>{message(ctx.lang(), code)} {upgrade}</p> }
}
