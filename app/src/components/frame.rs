//! What surrounds every page: header, navigation and footer.

use html_escape::encode_text;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_meta::Title;

use super::{LanguageSwitch, Logo, SharedLink, ThemeSwitch};
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
