//! Choosing a language.

use leptos::prelude::*;

use super::CallError;

/// Remembers the language and leads back to the page `next`.
#[server(name = ChooseLanguage, prefix = "/_app", endpoint = "language")]
pub async fn choose_language(
    /// The language's tag.
    #[server(default)]
    lang: String,
    /// The path to go on to.
    #[server(default)]
    next: String,
) -> Result<(), CallError> {
    let form = super::form::Form::of("/", "language");
    let result = async { chosen(&form, &lang, &next) }.await;
    form.answer(result)
}

#[cfg(feature = "ssr")]
fn chosen(form: &super::form::Form, lang: &str, next: &str) -> hato_service::ServiceResult<String> {
    use crate::language::{self, Lang};

    let lang = Lang::parse(lang).ok_or(hato_domain::ErrorCode::InvalidInput)?;
    let cookie = crate::cookie::SetCookie {
        name: language::COOKIE,
        value: lang.as_str(),
        path: "/",
        max_age: language::REMEMBERED,
        secure: form.visit().context().secure_cookies,
    };
    form.visit().set_cookie(&cookie.to_string());
    Ok(crate::own_path::own_path(next).unwrap_or("/").to_owned())
}
