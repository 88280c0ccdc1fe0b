//! Subscribing the owner's browser, and removing subscribers.

use leptos::prelude::*;

use super::ServerFunctionError;

/// Registers the browser that asks as a subscriber of the app.
#[server(name = SubscribeBrowser, prefix = "/_app", endpoint = "subscribe_browser")]
pub async fn subscribe_browser(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The browser's endpoint.
    #[server(default)]
    endpoint: String,
    /// The browser's public key, in base64url.
    #[server(default)]
    p256dh: String,
    /// The browser's secret, in base64url.
    #[server(default)]
    auth: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "", "this-browser");
    let result = handlers::subscribe(&form, &app, [endpoint, p256dh, auth]).await;
    form.respond_to_script(result)
}

/// Ends the subscription of the browser that asks.
#[server(name = UnsubscribeBrowser, prefix = "/_app", endpoint = "unsubscribe_browser")]
pub async fn unsubscribe_browser(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The browser's endpoint.
    #[server(default)]
    endpoint: String,
) -> Result<(), ServerFunctionError> {
    let form = super::form::Form::for_app(&app, "", "this-browser");
    let result = handlers::unsubscribe(&form, &app, &endpoint).await;
    form.respond_to_script(result)
}

/// Removes a subscriber, and leads back to where in the list it was.
#[server(name = RemoveSubscriber, prefix = "/_app", endpoint = "remove_subscriber")]
pub async fn remove_subscriber(
    /// The app's id.
    #[server(default)]
    app: String,
    /// The subscription's id.
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
    let list = handlers::list_path([("q", &q), ("state", &state), ("before", &before)]);
    let form = super::form::Form::for_app(&app, &list, "remove");
    let result = handlers::remove(&form, &app, &subscription).await;
    form.respond(result)
}

#[cfg(feature = "ssr")]
mod handlers {
    use hato_domain::Endpoint;
    use hato_domain::wire::RegisterSubscription;
    use hato_service::ServiceResult;

    use crate::local_path::{local_path, with_query};
    use crate::server_fns::form::Form;

    /// The list's path below the app's, with as much of a query as a path may have.
    pub fn list_path(asked: [(&str, &str); 3]) -> String {
        const LIST: &str = "/subscribers";
        let given: Vec<_> = asked.into_iter().filter(|(_, it)| !it.is_empty()).collect();
        let path = with_query(LIST, &given);
        let path = local_path(&path).filter(|_| !given.is_empty());
        path.unwrap_or(LIST).to_owned()
    }

    /// What the dashboard's own subscribers are labelled with.
    const PLATFORM: &str = "Hato dashboard";

    pub async fn subscribe(
        form: &Form,
        app: &str,
        [endpoint, p256dh, auth]: [String; 3],
    ) -> ServiceResult<()> {
        let access = form.ctx().may_manage(app).await?;
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let asked = RegisterSubscription {
            endpoint: given(endpoint),
            p256dh: given(p256dh),
            auth: given(auth),
            platform: Some(PLATFORM.to_owned()),
        };
        let parts = asked.into_parts()?;
        form.service().register_own_browser(&access, parts).await?;
        Ok(())
    }

    pub async fn unsubscribe(form: &Form, app: &str, endpoint: &str) -> ServiceResult<()> {
        let access = form.ctx().may_manage(app).await?;
        let endpoint = Endpoint::parse(endpoint)?;
        form.service()
            .unsubscribe_own_browser(&access, &endpoint)
            .await
    }

    pub async fn remove(form: &Form, app: &str, subscription: &str) -> ServiceResult<String> {
        let access = form.ctx().may_manage(app).await?;
        form.service()
            .remove_subscription(&access, subscription)
            .await?;
        Ok(form.page_with("done=remove"))
    }
}
