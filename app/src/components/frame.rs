//! What surrounds every page: header, navigation and footer.

use html_escape::encode_text;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_meta::Title;

use super::{LanguageSwitch, Logo, Palette, SharedLink, ThemeSwitch};
use crate::local_path::with_query;
use crate::request_context::RequestContext;
use crate::server_fns;

/// A page within header and footer; its title stands before the product's name.
#[component]
pub fn Frame(
    /// What the window and search engines call the page.
    #[prop(into)]
    title: String,
    children: Children,
) -> impl IntoView {
    let ctx = RequestContext::current();
    let texts = &ctx.texts().site;
    // Titles carry what strangers wrote, and leptos_meta writes the element's text as it is.
    let named = format!("{title} · Hato");
    let title = encode_text(&named).into_owned();
    view! {
        <Title text=title />
        <SharedLink title=named />
        <a class="skip" href="#content">
            {texts.skip}
        </a>
        <header class="site-header">
            <a class="brand" href="/">
                <Logo />
                <span>"Hato"</span>
            </a>
            <nav aria-label=texts.navigation>
                <Navigation ctx=ctx.clone() />
            </nav>
        </header>
        <main id="content" tabindex="-1">
            {children()}
        </main>
        <footer class="site-footer">
            <p>
                <a href=ctx.pricing_url()>{texts.pricing}</a>
                <a href="/docs">{ctx.texts().guides.title}</a>
                <a href="/docs/api">{texts.reference}</a>
                <span>{texts.footer}</span>
            </p>
            <div class="switches">
                <ThemeSwitch />
                <LanguageSwitch />
            </div>
        </footer>
    }
    .into_any()
}

#[component]
fn Navigation(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().site;
    match ctx.cached_owner() {
        Some(owner) => view! {
            <a href="/apps">{texts.apps}</a>
            <a
                href=with_query("/search", &[("app", ctx.searched_app().as_deref().unwrap_or_default())])
                aria-keyshortcuts="Control+K Meta+K"
                data-palette
                class="search-link"
            >
                <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
                    <circle cx="8.5" cy="8.5" r="5.5" />
                    <path d="m12.5 12.5 5 5" />
                </svg>
                <span>{ctx.texts().search.title}</span>
            </a>
            <Palette ctx=ctx.clone() />
            <a href="/account" class="account-link" title=texts.account>
                <span class="visually-hidden">{texts.account} ": "</span>
                {owner.account().email.as_str().to_owned()}
            </a>
            <form class="log-out" method="post" action=server_fns::LogOut::url()>
                <button type="submit" class="quiet">
                    {texts.log_out}
                </button>
            </form>
        }
        .into_any(),
        None => view! {
            <a href=ctx.pricing_url() class="wide-only">
                {texts.pricing}
            </a>
            <a href="/login">{texts.log_in}</a>
            <a href="/register" class="button small">
                {texts.register}
            </a>
        }
        .into_any(),
    }
}
