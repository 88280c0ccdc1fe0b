//! Making, renaming and deleting apps.

#[cfg(feature = "ssr")]
use hato_domain::{ErrorCode, FieldChange, MessageSettingsChange, Name, SiteUrl, Tracking};
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;

/// Makes an app and leads to its page.
#[server(name = CreateApp, prefix = "/_app", endpoint = "create_app")]
pub async fn create_app(
    /// What the app is to be called.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new("/apps", "create").keep("name", &name);
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let name = Name::parse(&name)?;
        let app = form.service().create_app(&owner, name).await?;
        Ok(format!("/apps/{}", app.id))
    })
    .await
}

/// Gives an app another name.
#[server(name = RenameApp, prefix = "/_app", endpoint = "rename_app")]
pub async fn rename_app(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// What it is to be called from now on.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/settings", "rename").keep("name", &name);
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let name = Name::parse(&name)?;
        form.service().rename_app(&access, &name).await?;
        Ok(form.page_with("done=rename"))
    })
    .await
}

/// Changes what an app says of its messages. A box that is not ticked is not in the form.
#[server(name = ChangeMessages, prefix = "/_app", endpoint = "change_messages")]
pub async fn change_messages(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The address of the site; empty for none.
    #[server(default)]
    site_url: String,
    /// `true` when Apple's push service is to get declarative messages.
    #[server(default)]
    declarative: String,
    /// What is to be measured.
    #[server(default)]
    tracking: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/settings", "messages")
        .keep("site_url", &site_url)
        .keep("declarative", &declarative)
        .keep("tracking", &tracking);
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let site_url = match site_url.trim() {
            "" => FieldChange::Clear,
            url => FieldChange::Set(SiteUrl::parse(url)?),
        };
        let change = MessageSettingsChange {
            site_url,
            declarative: Some(declarative == "true"),
            tracking: Some(Tracking::parse(&tracking)?),
        };
        let changed = form
            .service()
            .change_app(&access, FieldChange::Keep, change);
        changed.await?;
        Ok(form.page_with("done=messages"))
    })
    .await
}

/// Deletes an app with everything in it.
#[server(name = DeleteApp, prefix = "/_app", endpoint = "delete_app")]
pub async fn delete_app(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The name that the app has, typed for confirmation.
    #[server(default)]
    name: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/settings", "delete");
    form.respond(async {
        let owner = form.ctx().owner().await?;
        let (access, app) = form.service().managed(&owner, &app).await?;
        if name.trim() != app.name {
            return Err(ErrorCode::InvalidInput.into());
        }
        form.service().delete_app(&access).await?;
        Ok("/apps?done=delete".to_owned())
    })
    .await
}
