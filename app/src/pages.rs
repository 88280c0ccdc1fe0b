//! The pages.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a component owns its properties"
)]

mod account;
mod app;
mod apps;
mod landing;
mod log_in;
mod pricing;
mod reference;
mod refused;
mod register;

pub use account::AccountPage;
pub use app::{
    ComposePage, DeadLettersPage, HistoryPage, KeyEventsPage, KeysPage, OverviewPage, Progress,
    SendPage, SettingsPage, Standing, SubscribersPage, WebhookPage,
};
pub use apps::AppsPage;
pub use landing::LandingPage;
pub use log_in::LogInPage;
pub use pricing::PricingPage;
pub use reference::ReferencePage;
pub use refused::{LostPage, RefusedPage};
pub use register::RegisterPage;

use hato_service::{ServiceError, ServiceResult};
use leptos::config::LeptosOptions;
use leptos::hydration::HydrationScripts;
use leptos::prelude::*;
use leptos::tachys::reactive_graph::OwnedView;

use crate::own_path::with_query;
use crate::visit::Visit;

/// A page that takes some loading: the view that comes out, or the page for why it was refused.
fn loaded<Load>(load: impl FnOnce(Visit) -> Load) -> impl IntoView
where
    Load: Future<Output = ServiceResult<AnyView>> + Send + 'static,
{
    let visit = Visit::current();
    let view = load(visit.clone());
    Suspend::new(async move {
        let view = view.await;
        // Leptos renders what was awaited wherever the executor is just then, also amid other requests.
        OwnedView::new(view.unwrap_or_else(|error| instead(&visit, &error)))
    })
}

/// What comes instead of a page: the login for strangers, or the reason.
fn instead(visit: &Visit, error: &ServiceError) -> AnyView {
    let code = error.code();
    if error.is_signed_out() {
        visit.redirect(&with_query("/login", &[("next", visit.path_and_query())]));
        return ().into_any();
    }
    if let Some(cause) = error.cause() {
        tracing::error!(path = visit.path(), cause, "a page failed");
    }
    refused::explained(visit, code)
}

/// The scripts that bring a page's islands to life; pages without islands go without scripts.
#[component]
fn Lively() -> impl IntoView {
    let options: LeptosOptions = expect_context();
    view! { <HydrationScripts options islands=true /> }
}
