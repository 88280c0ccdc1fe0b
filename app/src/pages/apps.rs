//! The account's apps.

use hato_service::access::AccountPrincipal;
use hato_service::ports::{AppRecord, MonthlyUsage};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::loaded;
use crate::calls::{CreateApp, Typed};
use crate::components::{DoneNote, Field, Frame, Kind, Nothing, RefusalNote, Usage};
use crate::i18n::{Apps, grouped, plan_name};
use crate::visit::Visit;

/// A card per app, and the form that makes another.
#[component]
pub fn AppsPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let owner = visit.owner().await?;
        let apps = visit.service().apps(&owner).await?;
        let month = visit.service().monthly_usage(&owner).await?;
        Ok(view! { <Loft visit owner apps month /> }.into_any())
    })
}

#[component]
fn Loft(
    visit: Visit,
    owner: AccountPrincipal,
    apps: Vec<AppRecord>,
    month: MonthlyUsage,
) -> impl IntoView {
    let texts = &visit.texts().apps;
    let cards = if apps.is_empty() {
        view! { <Nothing title=texts.empty_title text=texts.empty_text /> }.into_any()
    } else {
        view! { <Cards texts apps=apps.clone() month=month.clone() /> }.into_any()
    };
    let most = owner.account().plan.max_apps();
    let is_full = most.is_some_and(|most| i64::try_from(apps.len()).is_ok_and(|n| n >= most));
    view! {
        <Frame title=texts.title>
            <section class="apps">
                <div class="head">
                    <div>
                        <h1>{texts.title}</h1>
                        <p class="lead">{texts.lead}</p>
                    </div>
                </div>
                <DoneNote what="delete" text=texts.deleted />
                <MonthCard visit=visit.clone() owner recipients=month.recipients />
                {cards}
                <CreateForm visit is_full />
            </section>
        </Frame>
    }
    .into_any()
}

/// What the account sends this month, of what its plan allows.
#[component]
fn MonthCard(visit: Visit, owner: AccountPrincipal, recipients: i64) -> impl IntoView {
    let texts = &visit.texts().apps;
    let plan = owner.account().plan;
    let resets = visit.service().now().month().end().day();
    let limit = plan.max_monthly_sends();
    let aside = if limit.is_some() {
        (texts.resets)(resets)
    } else {
        texts.unlimited.to_owned()
    };
    view! {
        <section class="card month">
            <Usage texts label=texts.usage used=recipients limit />
            <p class="facts-line">
                <span>{aside}</span>
                <span class="plan-now">
                    {texts.plan} " " <a href="/pricing">
                        <b>{plan_name(plan)}</b>
                    </a>
                </span>
            </p>
        </section>
    }
    .into_any()
}

#[component]
fn Cards(texts: &'static Apps, apps: Vec<AppRecord>, month: MonthlyUsage) -> impl IntoView {
    let sent = |app: &AppRecord| {
        let counted = month.by_app.iter().find(|(id, _)| *id == app.id);
        counted.map_or(0, |(_, sent)| *sent)
    };
    let cards = apps
        .into_iter()
        .map(|app| {
            let sent = sent(&app);
            view! { <Card texts app sent /> }
        })
        .collect_view();
    view! { <ul class="app-cards">{cards}</ul> }.into_any()
}

#[component]
fn Card(texts: &'static Apps, app: AppRecord, sent: i64) -> impl IntoView {
    view! {
        <li class="card app-card">
            <h2>
                <a href=format!("/apps/{}", app.id)>{app.name}</a>
            </h2>
            <Usage
                texts
                label=texts.subscribers
                used=app.active_subscriptions
                limit=app.plan.max_subscriptions()
            />
            <p class="line">
                <span>{texts.month}</span>
                " "
                <b>{grouped(sent)}</b>
            </p>
            <p class="hint">
                {texts.created} " "
                <time datetime=app.created_at.day()>{app.created_at.day()}</time>
            </p>
        </li>
    }
    .into_any()
}

#[component]
fn CreateForm(visit: Visit, is_full: bool) -> impl IntoView {
    let texts = &visit.texts().apps;
    let upgrade = visit.texts().site.upgrade;
    let full = is_full.then(|| {
        view! {
            <p class="hint">
                {texts.full} " " <a href="/pricing">{upgrade}</a>
            </p>
        }
    });
    let typed = Typed::take(&visit);
    view! {
        <form id="create" class="card narrow" method="post" action=CreateApp::url()>
            <h2>{texts.create_title}</h2>
            <RefusalNote form="create" />
            {full}
            <Field
                form="create"
                name="name"
                kind=Kind::Line
                label=texts.name
                hint=texts.name_hint
                value=typed.of("name")
                max=100
            />
            <button type="submit" class="button" class:quiet=is_full>
                {texts.create}
            </button>
        </form>
    }
    .into_any()
}
