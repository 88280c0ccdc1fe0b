//! The switch between the languages.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::flash;
use crate::language::Lang;
use crate::request_context::RequestContext;
use crate::server_fns::ChooseLanguage;

/// A button per language, which leads back to the same page; none on a page that would not be the same.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
    let ctx = RequestContext::current();
    if flash::is_one_time(&ctx) {
        return ().into_any();
    }
    let button = |lang: Lang| {
        let current = (lang == ctx.lang()).then_some("true");
        view! {
            <button
                type="submit"
                name="lang"
                value=lang.as_str()
                lang=lang.as_str()
                aria-current=current
            >
                {lang.name()}
            </button>
        }
    };
    view! {
        <form
            class="languages"
            method="post"
            action=ChooseLanguage::url()
            aria-label=ctx.texts().site.language
        >
            <input type="hidden" name="next" value=ctx.path_and_query().to_owned() />
            {Lang::ALL.map(button)}
        </form>
    }
    .into_any()
}
