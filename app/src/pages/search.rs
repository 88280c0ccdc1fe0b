//! What one goes to by its name: pages, apps, sends and subscribers. The command palette shows what this page finds.

mod everywhere;
mod pages;

use hato_domain::{ErrorCode, PageRequest, UserId};
use hato_service::access::{AccountPrincipal, MayManage};
use hato_service::ports::{AppRecord, SendFilter, SendPage, SendRecord, SubscriptionRecord};
use hato_service::{ServiceResult, subscription_id};
use leptos::prelude::*;

use super::app::{Device, app_path};
use super::load_page;
use crate::components::Frame;
use crate::i18n::SearchTexts;
use crate::request_context::RequestContext;

/// Longest text that is searched for, in characters.
const MAX_TEXT: usize = 200;

/// Most that are found of one kind.
const MAX_FOUND: u8 = 5;

/// The same for what asks for a page.
const MAX_FOUND_PAGE: &str = "5";

/// Something that was found.
struct SearchResult {
    kind: &'static str,
    name: String,
    /// What tells it from others of the same name.
    about: String,
    /// The app that it is of, where several are searched.
    app: Option<String>,
    path: String,
}

/// All that was found.
struct Found {
    results: Vec<SearchResult>,
    /// Whether not everything was looked at.
    is_cut_short: bool,
}

/// The page that `?q=` asks for, in the app that `?app=` names.
#[component]
pub fn SearchPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let text = ctx.query("q").unwrap_or_default().trim().to_owned();
        if text.chars().nth(MAX_TEXT).is_some() {
            return Err(ErrorCode::InvalidInput.into());
        }
        let owner = ctx.owner().await?;
        let search = SearchRequest { ctx, text };
        let found = match search.ctx.query("app") {
            Some(app) => search.in_app(&owner, &app).await?,
            None => search.everywhere(&owner).await?,
        };
        Ok(view! { <SearchView search found /> }.into_any())
    })
}

struct SearchRequest {
    ctx: RequestContext,
    text: String,
}

impl SearchRequest {
    async fn in_app(&self, owner: &AccountPrincipal, app: &str) -> ServiceResult<Found> {
        let most = 1 + i64::from(MAX_FOUND);
        let service = self.ctx.service();
        let managed = service.managed_among(owner, app, &self.text, most).await?;
        let (access, app, others) = managed;
        let base = app_path(&app);
        let mut results = self.pages(owner, Some(&app));
        results.extend(others.iter().map(|app| self.app(app)));
        let mut is_cut_short = false;
        if !self.text.is_empty() {
            if !self.is_subscription_id() {
                let sends = self.sends(&access).await?;
                is_cut_short = sends.is_cut_short;
                results.extend(sends.items.into_iter().map(|it| self.send(&base, it)));
            }
            let own = self.subscriptions(&access).await?.into_iter();
            results.extend(own.map(|it| self.subscriber(&base, it)));
        }
        Ok(Found {
            results,
            is_cut_short,
        })
    }

    /// Whether the text is an id that a subscription can have, for which no sends are looked through.
    fn is_subscription_id(&self) -> bool {
        subscription_id(&self.text).is_some()
    }

    /// Whether the text is a part of the name.
    fn fits(&self, name: &str) -> bool {
        name.to_lowercase().contains(&self.text.to_lowercase())
    }

    /// The newest sends that have the text in their own, as the history finds them.
    async fn sends(&self, access: &MayManage) -> ServiceResult<SendPage> {
        let page = PageRequest::parse(Some(MAX_FOUND_PAGE), None, None)?;
        let filter = SendFilter {
            text: self.text.clone(),
            ..SendFilter::default()
        };
        let service = self.ctx.service();
        service.search_history(access, &filter, &page).await
    }

    /// The subscription whose id the text is, or those of the user whose id it is.
    async fn subscriptions(&self, access: &MayManage) -> ServiceResult<Vec<SubscriptionRecord>> {
        let service = self.ctx.service();
        if self.is_subscription_id() {
            match service.subscription(access, &self.text).await {
                Err(error) if error.code() == ErrorCode::NotFound => {}
                found => return found.map(|subscription| vec![subscription]),
            }
        }
        let Ok(user) = UserId::parse(&self.text) else {
            return Ok(Vec::new());
        };
        service
            .subscriptions_of_user(access, &user, MAX_FOUND.into())
            .await
    }

    fn app(&self, app: &AppRecord) -> SearchResult {
        SearchResult {
            kind: self.ctx.texts().search.app,
            name: app.name.clone(),
            about: String::new(),
            app: None,
            path: app_path(app),
        }
    }

    fn send(&self, base: &str, send: SendRecord) -> SearchResult {
        SearchResult {
            kind: self.ctx.texts().search.send,
            path: format!("{base}/sends/{}", send.id),
            name: send.title,
            about: send.body,
            app: None,
        }
    }

    fn subscriber(&self, base: &str, subscription: SubscriptionRecord) -> SearchResult {
        let device = Device::new(subscription.platform.as_deref(), &subscription.endpoint);
        let id = subscription.id.to_string();
        SearchResult {
            kind: self.ctx.texts().search.subscriber,
            path: format!("{base}/subscribers/{id}"),
            name: device.name(&subscription.endpoint),
            about: subscription.user_id.unwrap_or(id),
            app: None,
        }
    }
}

#[component]
fn SearchView(search: SearchRequest, found: Found) -> impl IntoView {
    let texts = &search.ctx.texts().search;
    let app = search.ctx.query("app");
    let app = app.map(|app| view! { <input type="hidden" name="app" value=app /> });
    view! {
        <Frame title=texts.title>
            <section class="search-page">
                <h1>{texts.title}</h1>
                <form class="search" method="get" action="/search" role="search">
                    {app}
                    <div class="field">
                        <label for="search-text">{texts.placeholder}</label>
                        <input
                            id="search-text"
                            type="search"
                            name="q"
                            value=search.text
                            maxlength=MAX_TEXT
                            aria-describedby="search-hint"
                            dir="auto"
                        />
                    </div>
                    <button type="submit" class="button quiet">
                        {texts.find}
                    </button>
                </form>
                <p class="hint" id="search-hint">
                    {texts.hint}
                </p>
                <SearchResults texts found />
            </section>
        </Frame>
    }
    .into_any()
}

/// What was found, as `app/scripts/palette.js` reads it.
#[component]
fn SearchResults(texts: &'static SearchTexts, found: Found) -> impl IntoView {
    let count = (texts.found)(found.results.len());
    let cut_short = found.is_cut_short.then_some(texts.cut_short);
    let lines = found.results.into_iter().map(|it| {
        let app = it
            .app
            .map(|name| view! { <small dir="auto">{name}</small> });
        view! {
            <li>
                <a href=it.path>
                    <small>{it.kind}</small>
                    " "
                    {app}
                    " "
                    <b dir="auto">{it.name}</b>
                    " "
                    <span dir="auto">{it.about}</span>
                </a>
            </li>
        }
    });
    view! {
        <p id="found-count" role="status">
            {count} " " {cut_short}
        </p>
        <ul id="found" class="found">
            {lines.collect_view()}
        </ul>
    }
    .into_any()
}
