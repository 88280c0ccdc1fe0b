//! Making and deleting API keys.

use leptos::prelude::*;

use super::ServerFunctionError;

/// A key just made, on its way to the page.
#[cfg(feature = "ssr")]
#[derive(serde::Serialize, serde::Deserialize)]
pub struct FlashedKey {
    /// The raw key.
    pub raw: String,
    /// Its scope, as in the API.
    pub scope: String,
}

/// Makes a key and leads to the page of keys, which shows it once.
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
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/keys", "create")
        .keep("name", &name)
        .keep("scope", &scope);
    let result = handlers::create(&form, &app, &name, &scope, "new-key").await;
    form.respond(result)
}

/// Makes a key that may only subscribe and leads back to the snippets, which are filled in with it once.
#[server(name = CreateEmbedKey, prefix = "/_app", endpoint = "create_embed_key")]
pub async fn create_embed_key(
    /// The app's id.
    #[server(default)]
    app: String,
    /// A name.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "", "embed");
    let scope = hato_domain::Scope::SubscribeOnly.as_str();
    let result = handlers::create(&form, &app, &name, scope, "embed").await;
    form.respond(result)
}

/// Deletes a key, effective at once.
#[server(name = DeleteKey, prefix = "/_app", endpoint = "delete_key")]
pub async fn delete_key(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The key's id.
    #[server(default)]
    key: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/keys", "delete");
    let result = handlers::delete(&form, &app, &key).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::{Name, Scope};
    use hato_service::ServiceResult;

    use super::FlashedKey;
    use crate::flash::{self, NEW_KEY};
    use crate::server_fns::form::Form;

    /// Makes the key and hands it to the form's page, where it is seen at `anchor`.
    pub async fn create(
        form: &Form,
        app: &str,
        name: &str,
        scope: &str,
        anchor: &str,
    ) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        let (name, scope) = (Name::parse(name)?, Scope::parse(scope)?);
        let key = form.service().create_key(&access, name, scope).await?;
        let made = FlashedKey {
            raw: key.raw,
            scope: scope.as_str().to_owned(),
        };
        flash::set(form.ctx(), NEW_KEY, form.page(), &made);
        Ok(format!("{}#{anchor}", form.page()))
    }

    pub async fn delete(form: &Form, app: &str, key: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().delete_key(&access, key).await?;
        Ok(form.page_with("done=delete"))
    }
}
