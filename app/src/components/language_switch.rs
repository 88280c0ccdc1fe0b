//! The switch between the languages.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::switch::{Choice, Switch};
use crate::language::Lang;
use crate::request_context::RequestContext;
use crate::server_fns::ChooseLanguage;

/// A button per language, which leads back to the same page.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
    let ctx = RequestContext::current();
    let choice = |lang: Lang| Choice {
        value: lang.as_str(),
        text: lang.name(),
        lang: Some(lang.as_str()),
        is_current: lang == ctx.lang(),
    };
    view! {
        <Switch
            label=ctx.texts().site.language
            action=ChooseLanguage::url()
            name="lang"
            draft_name="page_lang"
            choices=Lang::ALL.map(choice).to_vec()
        />
    }
    .into_any()
}
