//! Stopping a send, and sending a test.

use leptos::prelude::*;

use super::CallError;

/// Stops what is not yet claimed of a send.
#[server(name = CancelSend, prefix = "/_app", endpoint = "cancel_send")]
pub async fn cancel_send(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The send's id.
    #[server(default)]
    send: String,
) -> Result<(), CallError> {
    let form = super::form::Form::of_app(&app, &act::page_of(&send), "cancel");
    let result = act::cancel(&form, &app, &send).await;
    form.answer(result)
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
) -> Result<(), CallError> {
    let form = super::form::Form::of_app(&app, "", "this-browser");
    let result = act::test(&form, &app, endpoint).await;
    form.answer_script(result)
}

#[cfg(feature = "ssr")]
mod act {
    use hato_domain::SendId;
    use hato_domain::wire::Notify;
    use hato_service::ServiceResult;

    use crate::calls::form::Form;

    /// The send's page below the app's, or the history for an id that is none.
    pub fn page_of(send: &str) -> String {
        SendId::parse(send).map_or_else(|_| "/history".to_owned(), |id| format!("/sends/{id}"))
    }

    pub async fn cancel(form: &Form, app: &str, send: &str) -> ServiceResult<String> {
        let access = form.visit().may_manage(app).await?;
        let cancelled = form.service().cancel(&access, send).await?;
        Ok(format!("{}?cancelled={cancelled}", form.page()))
    }

    /// In the language of the page.
    pub async fn test(form: &Form, app: &str, endpoint: String) -> ServiceResult<()> {
        let access = form.visit().may_manage(app).await?;
        let texts = &form.visit().texts().app.this_browser;
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
