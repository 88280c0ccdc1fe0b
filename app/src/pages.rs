//! The dashboard's pages, each a component that renders on the server what it has loaded.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a component owns its properties"
)]

mod account;
mod app;
mod apps;
mod error_page;
mod guides;
mod landing;
mod log_in;
mod operator;
mod pricing;
mod reference;
mod register;
mod review;
mod search;

pub use account::AccountPage;
pub use app::{
    AudiencePage, ComposePage, DeadLettersPage, EmbedPage, HistoryPage, ImportPage, KeyEventsPage,
    KeysPage, OverviewPage, Progress, SendPage, SettingsPage, SubscriberPage, SubscribersPage,
    VapidKeysPage, WebhookPage, history_filter, subscriber_filter,
};
pub use apps::AppsPage;
pub use error_page::{ErrorPage, NotFoundPage};
pub use guides::{GuidePage, GuidesPage};
pub use landing::LandingPage;
pub use log_in::LogInPage;
pub use operator::OperatorPage;
pub use pricing::PricingPage;
pub use reference::{ReferenceGroupPage, ReferencePage};
pub use register::RegisterPage;
pub use review::ReviewPage;
pub use search::SearchPage;

use hato_service::{ServiceError, ServiceResult};
use leptos::config::LeptosOptions;
use leptos::hydration::HydrationScripts;
use leptos::prelude::*;
use leptos::tachys::reactive_graph::OwnedView;
use leptos_meta::Stylesheet;

use crate::request_context::RequestContext;

/// A page that takes some loading: the view that comes out, or the page for why it was refused.
fn load_page<Load>(load: impl FnOnce(RequestContext) -> Load) -> impl IntoView
where
    Load: Future<Output = ServiceResult<AnyView>> + Send + 'static,
{
    let ctx = RequestContext::current();
    let view = load(ctx.clone());
    Suspend::new(async move {
        let view = view.await;
        // Leptos renders what was awaited wherever the executor is just then, also amid other requests.
        OwnedView::new(view.unwrap_or_else(|error| login_or_error(&ctx, &error)))
    })
}

/// What comes instead of a page: the login for strangers, the review where one is due, or the reason.
fn login_or_error(ctx: &RequestContext, error: &ServiceError) -> AnyView {
    let code = error.code();
    if error.is_logged_out() {
        ctx.redirect_to_login(ctx.path_and_query());
        return ().into_any();
    }
    if ctx.redirect_to_review(error) {
        return ().into_any();
    }
    if let Some(cause) = error.cause() {
        tracing::error!(error = cause, "a page failed");
    }
    error_page::error_view(ctx, code)
}

/// The scripts that hydrate a page's islands; pages without islands go without scripts.
#[component]
fn IslandAssets() -> impl IntoView {
    let options: LeptosOptions = expect_context();
    view! { <HydrationScripts options islands=true /> }
}

/// The style of notifications as systems draw them, beside that of all pages.
#[component]
fn PreviewStyle() -> impl IntoView {
    let context = RequestContext::current();
    view! { <Stylesheet href=context.app_context().package_file("-previews.css") /> }
}
