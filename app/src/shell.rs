//! The document around every page, and which page it is.

use hato_domain::ErrorCode;
use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::headers;
use crate::pages::ErrorPage;
use crate::pages::{
    AccountPage, AppsPage, AudiencePage, ComposePage, DeadLettersPage, EmbedPage, GuidePage,
    GuidesPage, HistoryPage, ImportPage, KeyEventsPage, KeysPage, LandingPage, LogInPage,
    NotFoundPage, OperatorPage, OverviewPage, PricingPage, ReferenceGroupPage, ReferencePage,
    RegisterPage, ReviewPage, SearchPage, SendPage, SettingsPage, SubscriberPage, SubscribersPage,
    VapidKeysPage, WebhookPage,
};
use crate::request_context::RequestContext;

/// Put into the context, it makes the document explain this code instead of showing the page asked for.
#[derive(Clone, Copy)]
pub struct PageError(pub ErrorCode);

/// The HTML document around the page that the path names.
pub fn shell(options: &LeptosOptions) -> impl IntoView + use<> {
    let ctx = RequestContext::current();
    headers::set_content_security_policy(&ctx);
    let file = |ending| ctx.app_context().package_file(ending);
    let (style, script) = (file(".css"), file("-page.js"));
    provide_context(options.clone());
    provide_meta_context();
    view! {
        <!DOCTYPE html>
        <html lang=ctx.lang().as_str() data-theme=ctx.theme().as_str()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="description" content=ctx.texts().site.tagline />
                <meta name="color-scheme" content=ctx.theme().color_scheme() />
                <Icons />
                <script src=script nonce=use_nonce()></script>
                <link rel="stylesheet" href=style />
                <MetaTags />
            </head>
            <body>
                <Dashboard />
            </body>
        </html>
    }
}

/// The site's icons, for tabs and home screens.
#[component]
fn Icons() -> impl IntoView {
    view! {
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
    }
}

#[component]
fn Dashboard() -> impl IntoView {
    match use_context::<PageError>() {
        Some(PageError(code)) => view! { <ErrorPage code /> }.into_any(),
        None => view! { <Pages /> }.into_any(),
    }
}

/// The routes; every page is rendered before it is sent (`SsrMode::Async`), so that its status is known.
#[component]
fn Pages() -> impl IntoView {
    view! {
        <Router>
            <FlatRoutes fallback=NotFoundPage>
                <Route path=path!("/") view=LandingPage ssr=SsrMode::Async />
                <Route path=path!("/pricing") view=PricingPage ssr=SsrMode::Async />
                <Route path=path!("/docs") view=GuidesPage ssr=SsrMode::Async />
                <Route path=path!("/docs/api") view=ReferencePage ssr=SsrMode::Async />
                <Route
                    path=path!("/docs/api/:group")
                    view=ReferenceGroupPage
                    ssr=SsrMode::Async
                />
                <Route path=path!("/docs/:guide") view=GuidePage ssr=SsrMode::Async />
                <Route path=path!("/register") view=RegisterPage ssr=SsrMode::Async />
                <Route path=path!("/login") view=LogInPage ssr=SsrMode::Async />
                <Route path=path!("/apps") view=AppsPage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app") view=OverviewPage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/send") view=ComposePage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/sends/:send") view=SendPage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/history") view=HistoryPage ssr=SsrMode::Async />
                <Route
                    path=path!("/apps/:app/subscribers")
                    view=SubscribersPage
                    ssr=SsrMode::Async
                />
                <Route
                    path=path!("/apps/:app/subscribers/import")
                    view=ImportPage
                    ssr=SsrMode::Async
                />
                <Route
                    path=path!("/apps/:app/subscribers/:subscription")
                    view=SubscriberPage
                    ssr=SsrMode::Async
                />
                <Route path=path!("/apps/:app/audience") view=AudiencePage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/embed") view=EmbedPage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/keys") view=KeysPage ssr=SsrMode::Async />
                <Route
                    path=path!("/apps/:app/keys/history")
                    view=KeyEventsPage
                    ssr=SsrMode::Async
                />
                <Route path=path!("/apps/:app/keys/vapid") view=VapidKeysPage ssr=SsrMode::Async />
                <Route
                    path=path!("/apps/:app/dead-letters")
                    view=DeadLettersPage
                    ssr=SsrMode::Async
                />
                <Route path=path!("/apps/:app/webhook") view=WebhookPage ssr=SsrMode::Async />
                <Route path=path!("/apps/:app/settings") view=SettingsPage ssr=SsrMode::Async />
                <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async />
                <Route path=path!("/account/review") view=ReviewPage ssr=SsrMode::Async />
                <Route path=path!("/search") view=SearchPage ssr=SsrMode::Async />
                <Route path=path!("/operator") view=OperatorPage ssr=SsrMode::Async />
            </FlatRoutes>
        </Router>
    }
}
