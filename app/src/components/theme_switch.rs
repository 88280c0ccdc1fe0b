//! The switch between light and dark colours.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::switch::{Choice, Switch};
use crate::request_context::RequestContext;
use crate::server_fns::ChooseTheme;
use crate::theme::Theme;

/// A button per theme, which leads back to the same page.
#[component]
pub fn ThemeSwitch() -> impl IntoView {
    let ctx = RequestContext::current();
    let texts = &ctx.texts().site;
    let choice = |theme: Theme| Choice {
        value: theme.as_str(),
        text: match theme {
            Theme::System => texts.theme_system,
            Theme::Light => texts.theme_light,
            Theme::Dark => texts.theme_dark,
        },
        lang: None,
        is_current: theme == ctx.theme(),
    };
    view! {
        <Switch
            label=texts.theme
            action=ChooseTheme::url()
            name="theme"
            draft_name="page_theme"
            choices=Theme::ALL.map(choice).to_vec()
        />
    }
    .into_any()
}
