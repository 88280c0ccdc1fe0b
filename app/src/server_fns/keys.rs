//! Making and deleting API keys.

#[cfg(feature = "ssr")]
use hato_domain::{Name, Scope};
#[cfg(feature = "ssr")]
use hato_service::ServiceResult;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::flash::{self, NEW_KEY};

/// Makes a key and leads to the page of keys, which shows it once.
#[server(name = CreateKey, prefix = "/_app", endpoint = "create_key")]
pub async fn create_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// What the key is to be called.
    #[server(default)]
    name: String,
    /// `subscribe_only`, `notify` or `full`.
    #[server(default)]
    scope: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/keys", "create")
        .keep("name", &name)
        .keep("scope", &scope);
    form.respond(create(&form, &app, &name, &scope, "new-key"))
        .await
}

/// Makes a key that may only subscribe and leads back to the snippets, which are filled in with it once.
#[server(name = CreateEmbedKey, prefix = "/_app", endpoint = "create_embed_key")]
pub async fn create_embed_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// What the key is to be called.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/embed", "embed");
    let scope = Scope::SubscribeOnly.as_str();
    form.respond(create(&form, &app, &name, scope, "embed"))
        .await
}

/// Deletes a key, effective at once.
#[server(name = DeleteKey, prefix = "/_app", endpoint = "delete_key")]
pub async fn delete_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the key, `key_…`, which is not the raw key.
    #[server(default)]
    key: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/keys", "delete");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().delete_key(&access, &key).await?;
        Ok(form.page_with("done=delete"))
    })
    .await
}

/// Makes the key and hands it to the form's page, where it is seen at `anchor`.
#[cfg(feature = "ssr")]
async fn create(
    form: &Form,
    app: &str,
    name: &str,
    scope: &str,
    anchor: &str,
) -> ServiceResult<String> {
    let access = form.ctx().may_manage(app).await?;
    let (name, scope) = (Name::parse(name)?, Scope::parse(scope)?);
    let key = form.service().create_key(&access, name, scope).await?;
    let made = (key.raw, scope.as_str());
    flash::set(form.ctx(), NEW_KEY, form.page(), &made, flash::LIFETIME);
    Ok(format!("{}#{anchor}", form.page()))
}
