//! Making, importing, choosing, exporting and deleting an app's VAPID keys (CONTRACT 16).

#[cfg(feature = "ssr")]
use hato_domain::VapidKeyId;
#[cfg(feature = "ssr")]
use hato_domain::wire::ConfirmOwner;
#[cfg(feature = "ssr")]
use hato_service::ServiceResult;
use leptos::prelude::*;
#[cfg(feature = "ssr")]
use leptos::server_fn::ServerFn;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::flash::{self, NEW_KEY};

/// Where the forms are, below their app.
#[cfg(feature = "ssr")]
const PAGE: &str = "/keys/vapid";

/// Makes a key pair.
#[server(name = AddVapidKey, prefix = "/_app", endpoint = "add_vapid_key")]
pub async fn add_vapid_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, PAGE, "make");
    form.respond(add(&form, &app, None)).await
}

/// Imports the key pair of a private key.
#[server(name = ImportVapidKey, prefix = "/_app", endpoint = "import_vapid_key")]
pub async fn import_vapid_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// As base64url, JWK or PEM.
    #[server(default)]
    private_key: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, PAGE, "import");
    form.respond(add(&form, &app, Some(&private_key))).await
}

#[cfg(feature = "ssr")]
async fn add(form: &Form, app: &str, private_key: Option<&str>) -> ServiceResult<String> {
    let access = form.ctx().may_manage(app).await?;
    form.service().add_vapid_key(&access, private_key).await?;
    Ok(form.page_with("done=add"))
}

/// Makes it the key that browsers subscribe with.
#[server(name = MakeVapidKeyPrimary, prefix = "/_app", endpoint = "make_vapid_key_primary")]
pub async fn make_vapid_key_primary(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the key, `vapid_…`.
    #[server(default)]
    key: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, PAGE, "change");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().make_vapid_key_primary(&access, &key).await?;
        Ok(form.page_with("done=primary"))
    })
    .await
}

/// Deletes a key that nobody has.
#[server(name = DeleteVapidKey, prefix = "/_app", endpoint = "delete_vapid_key")]
pub async fn delete_vapid_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the key, `vapid_…`.
    #[server(default)]
    key: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, PAGE, "change");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().delete_vapid_key(&access, &key).await?;
        Ok(form.page_with("done=delete"))
    })
    .await
}

/// The path to which exports of a key are posted, which the server counts as log-ins.
#[cfg(feature = "ssr")]
pub const EXPORT_VAPID_KEY_PATH: &str = ExportVapidKey::PATH;

/// Leads back to the page, which shows the private key once.
#[server(name = ExportVapidKey, prefix = "/_app", endpoint = "export_vapid_key")]
pub async fn export_vapid_key(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the key, `vapid_…`.
    #[server(default)]
    key: String,
    /// The password, or the address where there is none.
    #[server(default)]
    confirmation: Option<String>,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, PAGE, "change").in_row(VapidKeyId::parse(&key).ok());
    form.respond(async {
        let (owner, access) = (
            form.ctx().owner().await?,
            form.ctx().may_manage(&app).await?,
        );
        let confirmation = ConfirmOwner {
            password: confirmation.clone(),
            email: confirmation,
        };
        let exported = form
            .service()
            .export_vapid_key(&owner, &access, &key, confirmation)
            .await?;
        let shown = (exported.private_key, exported.pem);
        flash::set(form.ctx(), NEW_KEY, form.page(), &shown, flash::LIFETIME);
        Ok(format!("{}#exported", form.page()))
    })
    .await
}
