//! The switch between the dashboard's themes, which a cookie remembers.

#[cfg(feature = "ssr")]
use hato_domain::ErrorCode;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use super::language::lead_back;
#[cfg(feature = "ssr")]
use crate::language::COOKIE_LIFETIME;
#[cfg(feature = "ssr")]
use crate::theme::{COOKIE, Theme};

/// Remembers the theme and leads back to the page `next`.
#[server(name = ChooseTheme, prefix = "/_app", endpoint = "theme")]
pub async fn choose_theme(
    /// The name of the theme, `system`, `light` or `dark`.
    #[server(default)]
    theme: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
    /// What the page shows once, as it was handed to it.
    #[server(default)]
    new_key: String,
    /// What was typed into the page's form, as it was handed to it.
    #[server(default)]
    typed: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/", "theme");
    form.respond(async {
        let theme = Theme::parse(&theme).ok_or(ErrorCode::InvalidInput)?;
        let ctx = form.ctx();
        ctx.set_cookie(COOKIE, theme.as_str(), "/", COOKIE_LIFETIME);
        Ok(lead_back(ctx, &next, &new_key, &typed))
    })
    .await
}
