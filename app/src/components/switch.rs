//! A switch between ways to show every page.

use leptos::prelude::*;

use crate::cookie;
use crate::flash::{NEW_KEY, SUBMITTED_FIELDS};
use crate::form_page::posted_form_page;
use crate::request_context::RequestContext;

/// A value that the switch may have.
#[derive(Clone, Copy)]
pub struct Choice {
    /// What its button posts.
    pub value: &'static str,
    pub text: &'static str,
    /// The language of the text, unless it is the page's.
    pub lang: Option<&'static str>,
    pub is_current: bool,
}

/// A button per choice, which leads back to the same page. What the page shows once goes along, and where a notification is being
/// written, what is typed.
#[component]
pub fn Switch(
    label: &'static str,
    /// The path of the server function that remembers the choice, and its parameter.
    action: &'static str,
    name: &'static str,
    /// The parameter of a draft that stands for it.
    draft_name: &'static str,
    choices: Vec<Choice>,
) -> impl IntoView {
    let ctx = RequestContext::current();
    let form = ctx.draft_form();
    let name = form.map_or(name, |_| draft_name);
    let buttons = choices.into_iter().map(|choice| button(choice, form, name));
    let buttons = buttons.collect_view();
    if form.is_some() {
        return view! {
            <div class="switch" role="group" aria-label=label>
                {buttons}
            </div>
        }
        .into_any();
    }
    let next = posted_form_page(&ctx);
    let next = next.unwrap_or_else(|| ctx.path_and_query().to_owned());
    view! {
        <form class="switch" method="post" action=action aria-label=label>
            <input type="hidden" name="next" value=next />
            {handed_on(&ctx, "new_key", NEW_KEY)}
            {handed_on(&ctx, "typed", SUBMITTED_FIELDS)}
            {buttons}
        </form>
    }
    .into_any()
}

/// The button of a choice, which posts the form with this id, unless it stands in its own.
fn button(choice: Choice, form: Option<&'static str>, name: &'static str) -> impl IntoView {
    view! {
        <button
            type="submit"
            form=form
            formnovalidate=form.is_some()
            name=name
            value=choice.value
            lang=choice.lang
            aria-current=choice.is_current.then_some("true")
        >
            {choice.text}
        </button>
    }
}

/// What was handed to this page in the cookie of this name, for the page as it was chosen.
fn handed_on(
    ctx: &RequestContext,
    field: &'static str,
    name: &str,
) -> Option<impl IntoView + use<>> {
    let value = cookie::read(ctx.headers(), name)?;
    Some(view! { <input type="hidden" name=field value=value /> })
}
