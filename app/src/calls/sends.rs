//! Sending to every subscriber of an app.

use leptos::prelude::*;

use super::CallError;

/// Sends and leads to the app's history.
#[server(name = SendToAll, prefix = "/_app", endpoint = "send")]
pub async fn send(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The headline.
    #[server(default)]
    title: String,
    /// The text.
    #[server(default)]
    body: String,
    /// Opened on click.
    #[server(default)]
    url: String,
    /// Shown beside the text.
    #[server(default)]
    icon: String,
    /// Shown where there is little room.
    #[server(default)]
    badge: String,
) -> Result<(), CallError> {
    let form = super::form::Form::of_app(&app, "send")
        .keep("title", &title)
        .keep("body", &body)
        .keep("url", &url)
        .keep("icon", &icon)
        .keep("badge", &badge);
    let notify = hato_domain::wire::Notify {
        title: given(&title),
        body: given(&body),
        url: given(&url),
        icon: given(&icon),
        badge: given(&badge),
        ..Default::default()
    };
    let outcome = sent(&form, &app, notify).await;
    form.answer(outcome)
}

#[cfg(feature = "ssr")]
async fn sent(
    form: &super::form::Form,
    app: &str,
    notify: hato_domain::wire::Notify,
) -> hato_service::Outcome<String> {
    let owner = form.visit().owner().await?;
    let access = form.service().manage(&owner, app).await?;
    let accepted = form
        .service()
        .broadcast(&access.may_send(), notify, None)
        .await?;
    Ok(format!(
        "{}?queued={}#history",
        form.page(),
        accepted.queued
    ))
}

/// A field's text; browsers end the lines of a form with CR LF, which nobody typed.
#[cfg(feature = "ssr")]
fn given(field: &str) -> Option<String> {
    let text = field.replace("\r\n", "\n");
    let filled = !text.trim().is_empty();
    filled.then_some(text)
}
