//! Subscribing the owner's browser, and removing subscribers.

#[cfg(feature = "ssr")]
use hato_domain::Endpoint;
#[cfg(feature = "ssr")]
use hato_domain::wire::RegisterSubscription;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::local_path::{local_path, with_query};

/// What the dashboard's own subscribers are labelled with.
#[cfg(feature = "ssr")]
const PLATFORM: &str = "Hato dashboard";

/// Registers the browser that asks as a subscriber of the app.
#[server(name = SubscribeBrowser, prefix = "/_app", endpoint = "subscribe_browser")]
pub async fn subscribe_browser(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The address at the push service at which the browser is reached, of up to 2,048 bytes.
    #[server(default)]
    endpoint: String,
    /// The browser's public key, in base64url.
    #[server(default)]
    p256dh: String,
    /// The browser's secret, in base64url.
    #[server(default)]
    auth: String,
    /// The address that the browser had before.
    #[server(default)]
    replaces: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, "", "this-browser");
    form.respond_to_script(async {
        let access = form.ctx().may_manage(&app).await?;
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let asked = RegisterSubscription {
            endpoint: given(endpoint),
            p256dh: given(p256dh),
            auth: given(auth),
            platform: Some(PLATFORM.to_owned()),
            replaces: given(replaces),
            ..RegisterSubscription::default()
        };
        form.service().register_own_browser(&access, asked).await?;
        Ok(())
    })
    .await
}

/// Ends the subscription of the browser that asks.
#[server(name = UnsubscribeBrowser, prefix = "/_app", endpoint = "unsubscribe_browser")]
pub async fn unsubscribe_browser(
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
        let endpoint = Endpoint::parse(&endpoint)?;
        let service = form.service();
        service.unsubscribe_own_browser(&access, &endpoint).await
    })
    .await
}

/// Removes a subscriber, and leads back to where in the list it was.
#[server(name = RemoveSubscriber, prefix = "/_app", endpoint = "remove_subscriber")]
pub async fn remove_subscriber(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the subscription, `sub_…`.
    #[server(default)]
    subscription: String,
    /// What the list was searched for.
    #[server(default)]
    q: String,
    /// The state that it was searched for.
    #[server(default)]
    state: String,
    /// Where its page began.
    #[server(default)]
    before: String,
) -> Result<(), ServerFunctionError> {
    let list = list_path([("q", &q), ("state", &state), ("before", &before)]);
    let form = Form::for_app(&app, &list, "remove");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let service = form.service();
        service.remove_subscription(&access, &subscription).await?;
        Ok(form.page_with("done=remove"))
    })
    .await
}

/// The list's path below the app's, with as much of a query as a path may have.
#[cfg(feature = "ssr")]
fn list_path(asked: [(&str, &str); 3]) -> String {
    const LIST: &str = "/subscribers";
    let path = with_query(LIST, &asked);
    local_path(&path).unwrap_or(LIST).to_owned()
}
