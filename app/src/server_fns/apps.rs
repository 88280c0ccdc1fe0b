//! Making, renaming and deleting apps.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Makes an app and leads to its page.
#[server(name = CreateApp, prefix = "/_app", endpoint = "create_app")]
pub async fn create_app(
    /// A name.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::new("/apps", "create").keep("name", &name);
    let result = handlers::create(&form, &name).await;
    form.respond(result)
}

/// Gives an app another name.
#[server(name = RenameApp, prefix = "/_app", endpoint = "rename_app")]
pub async fn rename_app(
    /// The app's id.
    #[server(default)]
    app: String,
    /// Its name to be.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/settings", "rename").keep("name", &name);
    let result = handlers::rename(&form, &app, &name).await;
    form.respond(result)
}

/// Deletes an app with everything in it.
#[server(name = DeleteApp, prefix = "/_app", endpoint = "delete_app")]
pub async fn delete_app(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The app's name, typed for confirmation.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/settings", "delete");
    let result = handlers::delete(&form, &app, &name).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::{ErrorCode, Name};
    use hato_service::ServiceResult;

    use crate::server_fns::form::Form;

    pub async fn create(form: &Form, name: &str) -> ServiceResult<String> {
        let owner = form.ctx().owner().await?;
        let name = Name::parse(name)?;
        let app = form.service().create_app(&owner, name).await?;
        Ok(format!("/apps/{}", app.id))
    }

    pub async fn rename(form: &Form, app: &str, name: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        let name = Name::parse(name)?;
        form.service().rename_app(&access, &name).await?;
        Ok(form.page_with("done=rename"))
    }

    /// What was typed must be the name that the app has.
    pub async fn delete(form: &Form, app: &str, name: &str) -> ServiceResult<String> {
        let owner = form.ctx().owner().await?;
        let (access, app) = form.service().managed(&owner, app).await?;
        if name.trim() != app.name {
            return Err(ErrorCode::InvalidInput.into());
        }
        form.service().delete_app(&access).await?;
        Ok("/apps?done=delete".to_owned())
    }
}
