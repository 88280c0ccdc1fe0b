//! Choosing a language.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Remembers the language and leads back to the page `next`.
#[server(name = ChooseLanguage, prefix = "/_app", endpoint = "language")]
pub async fn choose_language(
    /// The language's tag.
    #[server(default)]
    lang: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/", "language");
    let result = async { set_language(&form, &lang, &next) }.await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
fn set_language(
    form: &super::form::Form,
    lang: &str,
    next: &str,
) -> hato_service::ServiceResult<String> {
    use crate::language::{self, Lang};

    let lang = Lang::parse(lang).ok_or(hato_domain::ErrorCode::InvalidInput)?;
    let cookie = crate::cookie::SetCookie {
        name: language::COOKIE,
        value: lang.as_str(),
        path: "/",
        max_age: language::COOKIE_LIFETIME,
        secure: form.ctx().app_context().secure_cookies,
    };
    form.ctx().set_cookie(&cookie.to_string());
    Ok(crate::local_path::local_path(next)
        .unwrap_or("/")
        .to_owned())
}
