//! The switch between the languages.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::cookie;
use crate::flash::{NEW_KEY, SUBMITTED_FIELDS};
use crate::language::Lang;
use crate::request_context::RequestContext;
use crate::server_fns::ChooseLanguage;

/// A button per language, which leads back to the same page. What the page shows once goes along, and where a notification is being
/// written, what is typed.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
    let ctx = RequestContext::current();
    let label = ctx.texts().site.language;
    if let Some(form) = ctx.draft_form() {
        let buttons = Lang::ALL.map(
            |lang| view! { <LanguageButton ctx=ctx.clone() lang name="page_lang" form=form /> },
        );
        return view! {
            <div class="languages" role="group" aria-label=label>
                {buttons}
            </div>
        }
        .into_any();
    }
    let next = ctx.form_page();
    let next = next.unwrap_or_else(|| ctx.path_and_query().to_owned());
    let buttons =
        Lang::ALL.map(|lang| view! { <LanguageButton ctx=ctx.clone() lang name="lang" /> });
    view! {
        <form class="languages" method="post" action=ChooseLanguage::url() aria-label=label>
            <input type="hidden" name="next" value=next />
            {handed_on(&ctx, "new_key", NEW_KEY)}
            {handed_on(&ctx, "typed", SUBMITTED_FIELDS)}
            {buttons}
        </form>
    }
    .into_any()
}

#[component]
fn LanguageButton(
    ctx: RequestContext,
    lang: Lang,
    name: &'static str,
    /// The id of the form that it posts, unless it stands in it.
    #[prop(optional)]
    form: Option<&'static str>,
) -> impl IntoView {
    let current = (lang == ctx.lang()).then_some("true");
    view! {
        <button
            type="submit"
            form=form
            formnovalidate=form.is_some()
            name=name
            value=lang.as_str()
            lang=lang.as_str()
            aria-current=current
        >
            {lang.name()}
        </button>
    }
}

/// What was handed to this page in the cookie of this name, for the page in the other language.
fn handed_on(
    ctx: &RequestContext,
    field: &'static str,
    name: &str,
) -> Option<impl IntoView + use<>> {
    let value = cookie::read(ctx.headers(), name)?;
    Some(view! { <input type="hidden" name=field value=value /> })
}
