//! Stopping a send, and sending a test.

#[cfg(feature = "ssr")]
use hato_domain::SendId;
#[cfg(feature = "ssr")]
use hato_domain::wire::Notify;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::draft::NotificationDraft;
#[cfg(feature = "ssr")]
use super::form::Form;

/// Stops what is not yet claimed of a send.
#[server(name = CancelSend, prefix = "/_app", endpoint = "cancel_send")]
pub async fn cancel_send(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the send, `snd_…`.
    #[server(default)]
    send: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, &send_page(&send), "cancel");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let cancelled = form.service().cancel(&access, &send).await?;
        Ok(format!("{}?cancelled={cancelled}", form.page()))
    })
    .await
}

/// Sends a test to one subscriber: the browser that asks. The test speaks the language of the page.
#[server(name = SendTest, prefix = "/_app", endpoint = "send_test")]
pub async fn send_test(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The address at the push service at which the browser is reached, of up to 2,048 bytes.
    #[server(default)]
    endpoint: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "", "this-browser");
    form.respond_to_script(async {
        let access = form.ctx().may_manage(&app).await?;
        let texts = &form.ctx().texts().app.this_browser;
        let notify = Notify {
            title: Some(texts.test_title.to_owned()),
            body: Some(texts.test_body.to_owned()),
            endpoint: Some(endpoint),
            ..Notify::default()
        };
        let sent = form
            .service()
            .send(&access.may_send(), notify, None)
            .await?;
        form.ctx().record_send(&sent.send_id);
        Ok(())
    })
    .await
}

/// Sends what is being written to one subscriber: the browser that asks. It goes at once, whatever times it has.
#[server(name = SendDraftToMe, prefix = "/_app", endpoint = "send_draft_to_me")]
pub async fn send_draft_to_me(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The address at the push service at which the browser is reached, of up to 2,048 bytes.
    #[server(default)]
    endpoint: String,
    /// The form, as it would be posted.
    #[server(default)]
    draft: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "/send", "this-browser");
    form.respond_to_script(async {
        let access = form.ctx().may_manage(&app).await?;
        let draft = NotificationDraft::parse(&draft)?;
        let sent = draft.send_to(form.service(), &access, endpoint).await?;
        form.ctx().record_send(&sent.send_id);
        Ok(())
    })
    .await
}

/// The send's page below the app's, or the history for an id that is none.
#[cfg(feature = "ssr")]
fn send_page(send: &str) -> String {
    SendId::parse(send).map_or_else(|_| "/history".to_owned(), |id| format!("/sends/{id}"))
}
