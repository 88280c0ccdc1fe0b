//! Webhooks: the URL, the secret, the switch, and events to be posted.

#[cfg(feature = "ssr")]
use hato_domain::{ErrorCode, FieldChange, MessageSettingsChange};
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::queued_event::QueuedEvent;

/// Sets the webhook's URL.
#[server(name = SetWebhook, prefix = "/_app", endpoint = "set_webhook")]
pub async fn set_webhook(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// Where events are to be posted.
    #[server(default)]
    webhook_url: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "webhook").keep("webhook_url", &webhook_url);
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let url = webhook_url.trim();
        if url.is_empty() {
            return Err(ErrorCode::MissingFields.into());
        }
        let url = FieldChange::Set(url.to_owned());
        let messages = MessageSettingsChange::default();
        form.service().change_app(&access, url, messages).await?;
        Ok(form.page_with("done=saved"))
    })
    .await
}

/// Clears the webhook's URL.
#[server(name = ClearWebhook, prefix = "/_app", endpoint = "clear_webhook")]
pub async fn clear_webhook(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "webhook");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let messages = MessageSettingsChange::default();
        let changed = form
            .service()
            .change_app(&access, FieldChange::Clear, messages);
        changed.await?;
        Ok(form.page_with("done=cleared"))
    })
    .await
}

/// Makes a new signing secret.
#[server(name = RotateSecret, prefix = "/_app", endpoint = "rotate_webhook_secret")]
pub async fn rotate_webhook_secret(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "secret");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().rotate_webhook_secret(&access).await?;
        Ok(form.page_with("done=rotated"))
    })
    .await
}

/// Enables a disabled webhook.
#[server(name = EnableWebhook, prefix = "/_app", endpoint = "enable_webhook")]
pub async fn enable_webhook(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "switch");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        form.service().enable_webhook(&access).await?;
        Ok(form.page_with("done=enabled"))
    })
    .await
}

/// Queues a test event.
#[server(name = SendTestEvent, prefix = "/_app", endpoint = "send_test_event")]
pub async fn send_test_event(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "test");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let now = form.service().now();
        form.service().send_test_event(&access).await?;
        Ok(form.page_with(&QueuedEvent::query(None, now)))
    })
    .await
}

/// Queues an event once more.
#[server(name = ResendEvent, prefix = "/_app", endpoint = "resend_event")]
pub async fn resend_event(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the event, `msg_…`.
    #[server(default)]
    event: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/webhook", "attempts");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let now = form.service().now();
        form.service().resend_event(&access, &event).await?;
        Ok(form.page_with(&QueuedEvent::query(Some(&event), now)))
    })
    .await
}
