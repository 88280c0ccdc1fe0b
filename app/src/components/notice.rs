//! Notes: what went well, what did not, and what to mind.

use hato_domain::ErrorCode;
use leptos::prelude::*;

use crate::calls::Typed;
use crate::i18n::message;
use crate::visit::Visit;

/// How a note is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing but said.
    Plain,
    /// It worked.
    Good,
    /// Mind this.
    Mind,
    /// It did not work.
    Bad,
}

/// A note that assistive technology reads out when the page opens.
#[component]
pub fn Note(tone: Tone, children: Children) -> impl IntoView {
    let (class, role) = match tone {
        Tone::Plain => ("note", "note"),
        Tone::Good => ("note good", "status"),
        Tone::Mind => ("note mind", "note"),
        Tone::Bad => ("note bad", "alert"),
    };
    view! {
        <div class=class role=role>
            {children()}
        </div>
    }
}

/// Says what a form has done, if it led here after it (`?done=`).
#[component]
pub fn DoneNote(
    /// The word for what was done.
    what: &'static str,
    text: &'static str,
) -> impl IntoView {
    let visit = Visit::current();
    let done = visit.query("done").as_deref() == Some(what);
    done.then(|| {
        view! {
            <Note tone=Tone::Good>
                <p>{text}</p>
            </Note>
        }
    })
}

/// Why the form `form` was refused, if it led back here, or that it was not sent, if the login came between.
#[component]
pub fn RefusalNote(form: &'static str) -> impl IntoView {
    let visit = Visit::current();
    if Typed::is_unsent(&visit, form) {
        let unsent = view! {
            <Note tone=Tone::Mind>
                <p>{visit.texts().site.unsent}</p>
            </Note>
        };
        return Some(unsent.into_any());
    }
    let mine = visit.query("form").as_deref() == Some(form);
    let code = visit.refused().filter(|_| mine)?;
    Some(view! { <Refusal code /> }.into_any())
}

/// Why something was refused.
#[component]
pub fn Refusal(code: ErrorCode) -> impl IntoView {
    view! {
        <Note tone=Tone::Bad>
            <Explanation code />
        </Note>
    }
}

/// The sentence of a code, with the way to the plans where one would help.
#[component]
fn Explanation(code: ErrorCode) -> impl IntoView {
    let visit = Visit::current();
    let upgrade = code.has_upgrade_url().then(|| {
        view! {
            " "
            <a href="/pricing">{visit.texts().site.upgrade}</a>
        }
    });
    view! { <p>{message(visit.lang(), code)} {upgrade}</p> }
}
