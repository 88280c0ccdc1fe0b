//! Subscribing the owner's browser, and removing subscribers.

#[cfg(feature = "ssr")]
use hato_domain::wire::{Notify, RegisterSubscription};
#[cfg(feature = "ssr")]
use hato_domain::{Endpoint, SiteOrigin, SubscriptionId};
#[cfg(feature = "ssr")]
use http::header::ORIGIN;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::local_path::local_path;
#[cfg(feature = "ssr")]
use crate::request_context::RequestContext;

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
        let non_empty = |text: String| Some(text).filter(|text| !text.is_empty());
        let asked = RegisterSubscription {
            endpoint: non_empty(endpoint),
            p256dh: non_empty(p256dh),
            auth: non_empty(auth),
            platform: Some(PLATFORM.to_owned()),
            replaces: non_empty(replaces),
            ..RegisterSubscription::default()
        };
        let origin = own_origin(form.ctx());
        let registered = form.service().register_own_browser(&access, origin, asked);
        registered.await.map(drop)
    })
    .await
}

/// The dashboard's site as the browser that asks knows it, which is more than a base address that was not set right.
#[cfg(feature = "ssr")]
fn own_origin(ctx: &RequestContext) -> Option<SiteOrigin> {
    let origin = ctx.headers().get(ORIGIN)?.to_str().ok();
    origin.and_then(SiteOrigin::parse)
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
    /// The query of the list: what it was searched for, and where its page began. Empty, or `?` and more.
    #[server(default)]
    list: String,
) -> Result<(), ServerFunctionError> {
    let list = list_path(&list);
    let form = Form::for_app(&app, &list, "remove");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let service = form.service();
        service.remove_subscription(&access, &subscription).await?;
        Ok(form.page_with("done=remove"))
    })
    .await
}

/// Removes the subscribers that were ticked, and leads back to where in the list they were.
#[server(name = RemoveSubscribers, prefix = "/_app", endpoint = "remove_subscribers")]
pub async fn remove_subscribers(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The ids of the subscriptions, `sub_…`.
    #[server(default)]
    subscriptions: Vec<String>,
    /// The query of the list, as in [`remove_subscriber`].
    #[server(default)]
    list: String,
) -> Result<(), ServerFunctionError> {
    let list = list_path(&list);
    let form = Form::for_app(&app, &list, "remove");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let service = form.service();
        let removed = service.remove_subscriptions(&access, &subscriptions);
        let removed = removed.await?;
        Ok(form.page_with(&format!("done=removed&removed={removed}")))
    })
    .await
}

/// Sends a test to one subscriber, and leads to where one sees how it goes. The test speaks the language of the page.
#[server(name = SendTestTo, prefix = "/_app", endpoint = "send_test_to")]
pub async fn send_test_to(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// The id of the subscription, `sub_…`.
    #[server(default)]
    subscription: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::for_app(&app, &subscriber_page(&subscription), "test");
    form.respond(async {
        let access = form.ctx().may_manage(&app).await?;
        let service = form.service();
        let to = service.subscription(&access, &subscription).await?;
        let texts = &form.ctx().texts().app.this_browser;
        let notify = Notify {
            title: Some(texts.test_title.to_owned()),
            body: Some(texts.test_body.to_owned()),
            endpoint: Some(to.endpoint),
            ..Notify::default()
        };
        let sent = service.send(&access.may_send(), notify, None).await?;
        form.ctx().record_send(&sent.send_id);
        Ok(format!("/apps/{}/sends/{}", access.app(), sent.send_id))
    })
    .await
}

/// The subscriber's page below the app's, or the list for an id that is none.
#[cfg(feature = "ssr")]
fn subscriber_page(subscription: &str) -> String {
    SubscriptionId::parse(subscription).map_or_else(
        |_| "/subscribers".to_owned(),
        |id| format!("/subscribers/{id}"),
    )
}

/// The list's path below the app's, with the query if a path may have it.
#[cfg(feature = "ssr")]
fn list_path(query: &str) -> String {
    const LIST: &str = "/subscribers";
    let path = format!("{LIST}{query}");
    let is_query = query.starts_with('?') && !query.contains('#');
    let path = local_path(&path).filter(|_| is_query);
    path.unwrap_or(LIST).to_owned()
}
