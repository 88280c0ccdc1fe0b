//! What surrounds every page: header, navigation and footer.

use html_escape::encode_text;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_meta::Title;

use super::{LanguageSwitch, Pigeon};
use crate::calls;
use crate::visit::Visit;

/// A page within header and footer; its title stands before the product's name.
#[component]
pub fn Frame(
    /// What the window and search engines call the page.
    #[prop(into)]
    title: String,
    /// The page.
    children: Children,
) -> impl IntoView {
    let visit = Visit::current();
    let texts = &visit.texts().site;
    // Titles carry what strangers wrote, and leptos_meta writes the element's text as it is.
    let title = format!("{} · Hato", encode_text(&title));
    view! {
        <Title text=title />
        <a class="skip" href="#content">
            {texts.skip}
        </a>
        <header class="top">
            <a class="brand" href="/">
                <Pigeon />
                <span>"Hato"</span>
            </a>
            <nav aria-label=texts.navigation>
                <Navigation visit=visit.clone() />
            </nav>
        </header>
        <main id="content" tabindex="-1">
            {children()}
        </main>
        <footer class="bottom">
            <p>
                <a href="/pricing">{texts.pricing}</a>
                <a href="/docs/api">{texts.reference}</a>
                <span>{texts.footer}</span>
            </p>
            <LanguageSwitch />
        </footer>
    }
    .into_any()
}

#[component]
fn Navigation(visit: Visit) -> impl IntoView {
    let texts = &visit.texts().site;
    match visit.known_owner() {
        Some(owner) => view! {
            <a href="/apps">{texts.apps}</a>
            <a href="/account" class="who" title=texts.account>
                <span class="unseen">{texts.account} ": "</span>
                {owner.account().email.clone()}
            </a>
            <form class="leave" method="post" action=calls::LogOut::url()>
                <button type="submit" class="quiet">
                    {texts.log_out}
                </button>
            </form>
        }
        .into_any(),
        None => view! {
            <a href="/pricing" class="wide">
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
