//! Choosing an app's icon among its pictures, and deleting them. `upload/picture.rs` takes new ones.

use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;

/// Makes a picture the one with which new notifications of the app begin.
#[server(name = MakeIcon, prefix = "/_app", endpoint = "make_icon")]
pub async fn make_icon(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The picture's name.
    #[server(default)]
    picture: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/settings", "pictures");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().make_icon(&access, &picture).await?;
        Ok(form.page_with("done=icon#pictures"))
    })
    .await
}

/// Deletes a picture. Browsers that have it may go on showing it.
#[server(name = DeletePicture, prefix = "/_app", endpoint = "delete_picture")]
pub async fn delete_picture(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The picture's name.
    #[server(default)]
    picture: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/settings", "pictures");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().delete_picture(&access, &picture).await?;
        Ok(form.page_with("done=picture-deleted#pictures"))
    })
    .await
}
