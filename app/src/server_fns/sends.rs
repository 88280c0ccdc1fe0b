//! Stopping a send, and sending a test.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Stops what is not yet claimed of a send.
#[server(name = CancelSend, prefix = "/_app", endpoint = "cancel_send")]
pub async fn cancel_send(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The send's id.
    #[server(default)]
    send: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, &handlers::send_page(&send), "cancel");
    let result = handlers::cancel(&form, &app, &send).await;
    form.respond(result)
}

/// Sends a test to one subscriber: the browser that asks.
#[server(name = SendTest, prefix = "/_app", endpoint = "send_test")]
pub async fn send_test(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The browser's endpoint.
    #[server(default)]
    endpoint: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "", "this-browser");
    let result = handlers::test(&form, &app, endpoint).await;
    form.respond_to_script(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::SendId;
    use hato_domain::wire::Notify;
    use hato_service::ServiceResult;

    use crate::server_fns::form::Form;

    /// The send's page below the app's, or the history for an id that is none.
    pub fn send_page(send: &str) -> String {
        SendId::parse(send).map_or_else(|_| "/history".to_owned(), |id| format!("/sends/{id}"))
    }

    pub async fn cancel(form: &Form, app: &str, send: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        let cancelled = form.service().cancel(&access, send).await?;
        Ok(format!("{}?cancelled={cancelled}", form.page()))
    }

    /// In the language of the page.
    pub async fn test(form: &Form, app: &str, endpoint: String) -> ServiceResult<()> {
        let access = form.ctx().may_manage(app).await?;
        let texts = &form.ctx().texts().app.this_browser;
        let notify = Notify {
            title: Some(texts.test_title.to_owned()),
            body: Some(texts.test_body.to_owned()),
            endpoint: Some(endpoint),
            ..Notify::default()
        };
        form.service()
            .send(&access.may_send(), notify, None)
            .await?;
        Ok(())
    }
}
