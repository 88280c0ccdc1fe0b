//! An app: from its first key to what it has sent.

mod checklist;
mod embed;
mod history;
mod keys;
mod public_key;
mod send;
mod webhook;

use hato_domain::Scope;
use hato_domain::wire::Page;
use hato_service::Outcome;
use hato_service::access::MayManage;
use hato_service::ports::{AppRecord, KeyRecord, SendRecord};
use leptos::prelude::*;

use self::checklist::StartChecklist;
use self::embed::EmbedSection;
pub use self::history::HistoryPage;
use self::history::HistorySection;
use self::keys::KeysSection;
use self::public_key::PublicKey;
use self::send::SendSection;
pub use self::webhook::WebhookPage;
use super::{Lively, loaded};
use crate::calls::{MadeKey, NEW_KEY, Typed};
use crate::components::Frame;
use crate::i18n::{self, grouped, plan_name};
use crate::once;
use crate::visit::Visit;

/// What the page shows of an app.
struct Overview {
    app: AppRecord,
    keys: Vec<KeyRecord>,
    history: Page<SendRecord>,
}

/// A raw key that is shown this once.
#[derive(Clone)]
struct NewKey {
    raw: String,
    scope: Scope,
}

/// The page of the app that the path names.
#[component]
pub fn AppPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let overview = overview(&visit).await?;
        let new_key = NewKey::take(&visit);
        Ok(view! { <Sections visit overview new_key /> }.into_any())
    })
}

async fn overview(visit: &Visit) -> Outcome<Overview> {
    let access = may_manage(visit).await?;
    Ok(Overview {
        app: visit.service().app(&access).await?,
        keys: visit.service().keys(&access).await?,
        history: history::newest(visit, &access).await?,
    })
}

/// The right to manage the app that the path names, for who is signed in.
async fn may_manage(visit: &Visit) -> Outcome<MayManage> {
    let owner = visit.owner().await?;
    let below = visit.path().strip_prefix("/apps/").unwrap_or_default();
    let id = below.split('/').next().unwrap_or_default();
    visit.service().manage(&owner, id).await
}

impl NewKey {
    fn take(visit: &Visit) -> Option<Self> {
        let made: MadeKey = once::take(visit, NEW_KEY)?;
        Some(Self {
            scope: Scope::parse(&made.scope).ok()?,
            raw: made.raw,
        })
    }
}

#[component]
fn Sections(visit: Visit, overview: Overview, new_key: Option<NewKey>) -> impl IntoView {
    let texts = &visit.texts().app;
    let typed = Typed::take(&visit);
    let context = visit.context();
    let (base_url, sdk) = (context.base_url.clone(), context.sdk.clone());
    let Overview { app, keys, history } = overview;
    let (id, subscribers) = (app.id.to_string(), app.active_subscriptions);
    let (has_key, has_sent) = (!keys.is_empty(), !history.items.is_empty());
    let path = format!("/apps/{id}");
    let queued = visit.query("queued").and_then(|count| count.parse().ok());
    let title = app.name.clone();
    view! {
        <Frame title>
            <Lively />
            <AppHead texts app=app.clone() webhook=visit.texts().webhook.title />
            <div class="app">
                <div class="app-main">
                    <StartChecklist texts has_key has_subscriber={subscribers > 0} has_sent />
                    <SendSection texts app=id.clone() subscribers typed=typed.clone() queued />
                    <HistorySection texts path history />
                    <EmbedSection texts base_url sdk has_key new_key=new_key.clone() />
                </div>
                <div class="app-side">
                    <KeysSection texts app=id keys typed new_key />
                    <PublicKey texts key=app.vapid_public_key />
                </div>
            </div>
        </Frame>
    }
    .into_any()
}

#[component]
fn AppHead(
    texts: &'static i18n::App,
    app: AppRecord,
    /// What the page of the webhook is called.
    webhook: &'static str,
) -> impl IntoView {
    view! {
        <div class="app-head">
            <p class="crumb">
                <a href="/apps">{texts.all_apps}</a>
            </p>
            <h1>{app.name}</h1>
            <dl class="facts">
                <div>
                    <dt>{texts.subscribers}</dt>
                    <dd class="big">{grouped(app.active_subscriptions)}</dd>
                </div>
                <div>
                    <dt>{texts.plan}</dt>
                    <dd>{plan_name(app.plan)}</dd>
                </div>
                <div>
                    <dt>{texts.id}</dt>
                    <dd>
                        <code>{app.id.to_string()}</code>
                    </dd>
                </div>
            </dl>
            <nav class="sections" aria-label=texts.sections>
                <a href="#send">{texts.compose.title}</a>
                <a href="#history">{texts.history.title}</a>
                <a href="#keys">{texts.keys.title}</a>
                <a href="#embed">{texts.embed.title}</a>
                <a href="#public-key">{texts.public_key}</a>
                <a href=format!("/apps/{}/webhook", app.id)>{webhook}</a>
            </nav>
        </div>
    }
    .into_any()
}
