//! Webhooks: the URL, the secret, the switch, and events to be posted.

use leptos::prelude::*;

use super::CallError;

/// Sets the webhook's URL.
#[server(name = SetWebhook, prefix = "/_app", endpoint = "set_webhook")]
pub async fn set_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
    /// Where events are to be posted.
    #[server(default)]
    webhook_url: String,
) -> Result<(), CallError> {
    let form = form(&app, "webhook").keep("webhook_url", &webhook_url);
    let outcome = set(&form, &app, &webhook_url).await;
    form.answer(outcome)
}

/// Clears the webhook's URL.
#[server(name = ClearWebhook, prefix = "/_app", endpoint = "clear_webhook")]
pub async fn clear_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), CallError> {
    let form = form(&app, "webhook");
    let outcome = cleared(&form, &app).await;
    form.answer(outcome)
}

/// Makes a new signing secret.
#[server(name = RotateSecret, prefix = "/_app", endpoint = "rotate_webhook_secret")]
pub async fn rotate_webhook_secret(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), CallError> {
    let form = form(&app, "secret");
    let outcome = rotated(&form, &app).await;
    form.answer(outcome)
}

/// Switches a switched-off webhook on.
#[server(name = EnableWebhook, prefix = "/_app", endpoint = "enable_webhook")]
pub async fn enable_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), CallError> {
    let form = form(&app, "switch");
    let outcome = enabled(&form, &app).await;
    form.answer(outcome)
}

/// Queues a test event.
#[server(name = SendTestEvent, prefix = "/_app", endpoint = "send_test_event")]
pub async fn send_test_event(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), CallError> {
    let form = form(&app, "test");
    let outcome = tested(&form, &app).await;
    form.answer(outcome)
}

/// Queues an event once more.
#[server(name = ResendEvent, prefix = "/_app", endpoint = "resend_event")]
pub async fn resend_event(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The event's.
    #[server(default)]
    event: String,
) -> Result<(), CallError> {
    let form = form(&app, "attempts");
    let outcome = resent(&form, &app, &event).await;
    form.answer(outcome)
}

/// A form of the app's webhook page.
#[cfg(feature = "ssr")]
fn form(app: &str, name: &'static str) -> super::form::Form {
    super::form::Form::of_page_below_app(app, "webhook", name)
}

#[cfg(feature = "ssr")]
async fn may_manage(
    form: &super::form::Form,
    app: &str,
) -> hato_service::Outcome<hato_service::access::MayManage> {
    let owner = form.visit().owner().await?;
    form.service().manage(&owner, app).await
}

/// The page, with word of what was done.
#[cfg(feature = "ssr")]
fn done(form: &super::form::Form, what: &str) -> String {
    format!("{}?done={what}", form.page())
}

#[cfg(feature = "ssr")]
async fn set(form: &super::form::Form, app: &str, url: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    let url = url.trim();
    if url.is_empty() {
        return Err(hato_domain::ErrorCode::MissingFields.into());
    }
    form.service().set_webhook(&access, Some(url)).await?;
    Ok(done(form, "saved"))
}

#[cfg(feature = "ssr")]
async fn cleared(form: &super::form::Form, app: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    form.service().set_webhook(&access, None).await?;
    Ok(done(form, "cleared"))
}

#[cfg(feature = "ssr")]
async fn rotated(form: &super::form::Form, app: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    form.service().rotate_webhook_secret(&access).await?;
    Ok(done(form, "rotated"))
}

#[cfg(feature = "ssr")]
async fn enabled(form: &super::form::Form, app: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    form.service().enable_webhook(&access).await?;
    Ok(done(form, "enabled"))
}

#[cfg(feature = "ssr")]
async fn tested(form: &super::form::Form, app: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    form.service().send_test_event(&access).await?;
    Ok(done(form, "queued"))
}

#[cfg(feature = "ssr")]
async fn resent(form: &super::form::Form, app: &str, event: &str) -> hato_service::Outcome<String> {
    let access = may_manage(form, app).await?;
    form.service().resend_event(&access, event).await?;
    Ok(done(form, "queued"))
}
