//! Making API keys.

use leptos::prelude::*;

use super::CallError;

/// The cookie that hands a raw key to the app's page, which shows it once.
#[cfg(feature = "ssr")]
pub const NEW_KEY: &str = "hato_new_key";

/// A key just made, on its way to the page.
#[cfg(feature = "ssr")]
#[derive(serde::Serialize, serde::Deserialize)]
pub struct MadeKey {
    /// The raw key.
    pub raw: String,
    /// Its scope, as in the API.
    pub scope: String,
}

/// Makes a key and leads to the app's page, which shows it once.
#[server(name = CreateKey, prefix = "/_app", endpoint = "create_key")]
pub async fn create_key(
    /// The app's id.
    #[server(default)]
    app: String,
    /// A name.
    #[server(default)]
    name: String,
    /// `subscribe_only`, `notify` or `full`.
    #[server(default)]
    scope: String,
) -> Result<(), CallError> {
    let form = super::form::Form::of_app(&app, "keys")
        .keep("key_name", &name)
        .keep("key_scope", &scope);
    let outcome = made(&form, &app, &name, &scope).await;
    form.answer(outcome)
}

#[cfg(feature = "ssr")]
async fn made(
    form: &super::form::Form,
    app: &str,
    name: &str,
    scope: &str,
) -> hato_service::Outcome<String> {
    let owner = form.visit().owner().await?;
    let access = form.service().manage(&owner, app).await?;
    let (name, scope) = (
        hato_domain::Name::parse(name)?,
        hato_domain::Scope::parse(scope)?,
    );
    let key = form.service().create_key(&access, name, scope).await?;
    let made = MadeKey {
        raw: key.raw,
        scope: scope.as_str().to_owned(),
    };
    crate::once::hand(form.visit(), NEW_KEY, form.page(), &made);
    Ok(format!("{}#new-key", form.page()))
}
