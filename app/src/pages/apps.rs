//! The account's apps.

use hato_service::access::Owner;
use hato_service::ports::AppRecord;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::loaded;
use crate::calls::{CreateApp, Typed};
use crate::components::{Field, Frame, Kind, RefusalNote};
use crate::i18n::{Apps, grouped, plan_name};
use crate::visit::Visit;

/// A card per app, and the form that makes another.
#[component]
pub fn AppsPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let owner = visit.owner().await?;
        let apps = visit.service().apps(&owner).await?;
        Ok(view! { <Loft visit owner apps /> }.into_any())
    })
}

#[component]
fn Loft(visit: Visit, owner: Owner, apps: Vec<AppRecord>) -> impl IntoView {
    let texts = &visit.texts().apps;
    let typed = Typed::take(&visit);
    let empty = apps.is_empty();
    let cards = apps.into_iter().map(|app| view! { <Card texts app /> });
    let cards = (!empty).then(|| view! { <ul class="app-cards">{cards.collect_view()}</ul> });
    let nothing = empty.then(|| {
        view! {
            <div class="empty">
                <h2>{texts.empty_title}</h2>
                <p>{texts.empty_text}</p>
            </div>
        }
    });
    view! {
        <Frame title=texts.title>
            <section class="apps">
                <div class="head">
                    <div>
                        <h1>{texts.title}</h1>
                        <p class="lead">{texts.lead}</p>
                    </div>
                    <p class="plan-now">
                        {texts.plan} " " <b>{plan_name(owner.account().plan)}</b>
                    </p>
                </div>
                {cards}
                {nothing}
                <form id="create" class="card inline" method="post" action=CreateApp::url()>
                    <h2>{texts.create_title}</h2>
                    <RefusalNote form="create" />
                    <Field
                        form="create"
                        name="name"
                        kind=Kind::Line
                        label=texts.name
                        hint=texts.name_hint
                        value=typed.of("name")
                        max=100
                    />
                    <button type="submit" class="button">
                        {texts.create}
                    </button>
                </form>
            </section>
        </Frame>
    }
    .into_any()
}

#[component]
fn Card(texts: &'static Apps, app: AppRecord) -> impl IntoView {
    view! {
        <li class="card app-card">
            <h2>
                <a href=format!("/apps/{}", app.id)>{app.name}</a>
            </h2>
            <p class="figure">
                <b>{grouped(app.active_subscriptions)}</b>
                " "
                <span>{texts.subscribers}</span>
            </p>
            <p class="hint">
                {texts.created} " "
                <time datetime=app.created_at.day()>{app.created_at.day()}</time>
            </p>
        </li>
    }
    .into_any()
}
