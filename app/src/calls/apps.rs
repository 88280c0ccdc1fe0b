//! Making apps.

use leptos::prelude::*;

use super::CallError;

/// Makes an app and leads to its page.
#[server(name = CreateApp, prefix = "/_app", endpoint = "create_app")]
pub async fn create_app(
    /// A name.
    #[server(default)]
    name: String,
) -> Result<(), CallError> {
    let form = super::form::Form::of("/apps", "create").keep("name", &name);
    let outcome = made(&form, &name).await;
    form.answer(outcome)
}

#[cfg(feature = "ssr")]
async fn made(form: &super::form::Form, name: &str) -> hato_service::Outcome<String> {
    let owner = form.visit().owner().await?;
    let name = hato_domain::Name::parse(name)?;
    let app = form.service().create_app(&owner, name).await?;
    Ok(format!("/apps/{}", app.id))
}
