//! Webhooks: the URL, the secret, the switch, and events to be posted.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Sets the webhook's URL.
#[server(name = SetWebhook, prefix = "/_app", endpoint = "set_webhook")]
pub async fn set_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
    /// Where events are to be posted.
    #[server(default)]
    webhook_url: String,
) -> Result<(), ServerFunctionError> {
    let form =
        super::form::Form::for_app(&app, "/webhook", "webhook").keep("webhook_url", &webhook_url);
    let result = handlers::set(&form, &app, &webhook_url).await;
    form.respond(result)
}

/// Clears the webhook's URL.
#[server(name = ClearWebhook, prefix = "/_app", endpoint = "clear_webhook")]
pub async fn clear_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/webhook", "webhook");
    let result = handlers::clear(&form, &app).await;
    form.respond(result)
}

/// Makes a new signing secret.
#[server(name = RotateSecret, prefix = "/_app", endpoint = "rotate_webhook_secret")]
pub async fn rotate_webhook_secret(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/webhook", "secret");
    let result = handlers::rotate(&form, &app).await;
    form.respond(result)
}

/// Switches a switched-off webhook on.
#[server(name = EnableWebhook, prefix = "/_app", endpoint = "enable_webhook")]
pub async fn enable_webhook(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/webhook", "switch");
    let result = handlers::enable(&form, &app).await;
    form.respond(result)
}

/// Queues a test event.
#[server(name = SendTestEvent, prefix = "/_app", endpoint = "send_test_event")]
pub async fn send_test_event(
    /// The app's id.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/webhook", "test");
    let result = handlers::test(&form, &app).await;
    form.respond(result)
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
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "/webhook", "attempts");
    let result = handlers::resend(&form, &app, &event).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::ErrorCode;
    use hato_service::ServiceResult;

    use crate::server_fns::form::Form;

    pub async fn set(form: &Form, app: &str, url: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        let url = url.trim();
        if url.is_empty() {
            return Err(ErrorCode::MissingFields.into());
        }
        form.service().set_webhook(&access, Some(url)).await?;
        Ok(form.page_with("done=saved"))
    }

    pub async fn clear(form: &Form, app: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().set_webhook(&access, None).await?;
        Ok(form.page_with("done=cleared"))
    }

    pub async fn rotate(form: &Form, app: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().rotate_webhook_secret(&access).await?;
        Ok(form.page_with("done=rotated"))
    }

    pub async fn enable(form: &Form, app: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().enable_webhook(&access).await?;
        Ok(form.page_with("done=enabled"))
    }

    pub async fn test(form: &Form, app: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().send_test_event(&access).await?;
        Ok(form.page_with("done=queued"))
    }

    pub async fn resend(form: &Form, app: &str, event: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service().resend_event(&access, event).await?;
        Ok(form.page_with("done=queued"))
    }
}
