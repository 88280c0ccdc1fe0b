//! The switch between the languages.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::calls::ChooseLanguage;
use crate::language::Lang;
use crate::once;
use crate::visit::Visit;

/// A button per language, which leads back to the same page; none on a page that would not be the same.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
    let visit = Visit::current();
    if once::is_fleeting(&visit) {
        return ().into_any();
    }
    let button = |lang: Lang| {
        let current = (lang == visit.lang()).then_some("true");
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
            aria-label=visit.texts().site.language
        >
            <input type="hidden" name="next" value=visit.path_and_query().to_owned() />
            {Lang::ALL.map(button)}
        </form>
    }
    .into_any()
}
