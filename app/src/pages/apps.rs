//! The page at `/apps`: the apps of the account, and what it sends this month of what its plan allows.

use hato_service::access::AccountPrincipal;
use hato_service::ports::{AppRecord, MonthlyUsage};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::load_page;
use crate::components::{
    EmptyState, Field, FieldKind, FormErrorNote, Frame, PostForm, SuccessNote, TimeStyle,
    Timestamp, Usage,
};
use crate::i18n::{AppsTexts, group_thousands, plan_name};
use crate::request_context::RequestContext;
use crate::server_fns::{CreateApp, SubmittedFields};

/// A card per app, and the form that makes another.
#[component]
pub fn AppsPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let owner = ctx.owner().await?;
        let apps = ctx.service().apps(&owner).await?;
        let month = ctx.service().monthly_usage(&owner).await?;
        Ok(view! { <AppsView ctx owner apps month /> }.into_any())
    })
}

#[component]
fn AppsView(
    ctx: RequestContext,
    owner: AccountPrincipal,
    apps: Vec<AppRecord>,
    month: MonthlyUsage,
) -> impl IntoView {
    let texts = &ctx.texts().apps;
    let cards = if apps.is_empty() {
        view! { <EmptyState title=texts.empty_title text=texts.empty_text /> }.into_any()
    } else {
        view! { <Cards texts apps=apps.clone() month=month.clone() /> }.into_any()
    };
    let most = owner.account().plan.max_apps();
    let is_full = most.is_some_and(|most| i64::try_from(apps.len()).is_ok_and(|n| n >= most));
    let create = if is_full {
        view! { <AppLimit ctx=ctx.clone() /> }.into_any()
    } else {
        view! { <CreateForm ctx=ctx.clone() /> }.into_any()
    };
    view! {
        <Frame title=texts.title>
            <section class="apps">
                <div>
                    <h1>{texts.title}</h1>
                    <p class="lead">{texts.lead}</p>
                </div>
                <SuccessNote what="delete" text=texts.deleted />
                <MonthCard ctx=ctx.clone() owner recipients=month.recipients />
                {cards}
                {create}
            </section>
        </Frame>
    }
    .into_any()
}

/// What the account sends this month, of what its plan allows.
#[component]
fn MonthCard(ctx: RequestContext, owner: AccountPrincipal, recipients: i64) -> impl IntoView {
    let texts = &ctx.texts().apps;
    let plan = owner.account().plan;
    let resets = ctx.service().now().month().end();
    let limit = plan.max_monthly_recipients();
    let aside = if limit.is_some() {
        let [before, after] = texts.resets;
        view! { {before} <Timestamp at=resets /> {after} }.into_any()
    } else {
        texts.unlimited.into_any()
    };
    view! {
        <section class="card month">
            <Usage texts label=texts.usage used=recipients limit />
            <p class="facts-line">
                <span>{aside}</span>
                <span class="plan-now">
                    {texts.plan} " " <a href=ctx.pricing_url()>
                        <b>{plan_name(plan)}</b>
                    </a>
                </span>
            </p>
        </section>
    }
    .into_any()
}

#[component]
fn Cards(texts: &'static AppsTexts, apps: Vec<AppRecord>, month: MonthlyUsage) -> impl IntoView {
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
fn Card(texts: &'static AppsTexts, app: AppRecord, sent: i64) -> impl IntoView {
    let name = app.name.clone();
    view! {
        <li class="card app-card">
            <h2>
                <a href=format!("/apps/{}", app.id) dir="auto" title=name>
                    {app.name}
                </a>
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
                <b>{group_thousands(sent)}</b>
            </p>
            <p class="hint">
                {texts.created} " " <Timestamp at=app.created_at style=TimeStyle::Day />
            </p>
        </li>
    }
    .into_any()
}

/// What stands instead of the form when the plan has no room for another app.
#[component]
fn AppLimit(ctx: RequestContext) -> impl IntoView {
    let (texts, upgrade) = (&ctx.texts().apps, ctx.texts().site.upgrade);
    view! {
        <section class="card narrow" id="create">
            <h2>{texts.create_title}</h2>
            <FormErrorNote form="create" />
            {ctx
                .form_refusal("create")
                .is_none()
                .then(|| {
                    view! {
                        <p>
                            {texts.full} " " <a href=ctx.pricing_url()>{upgrade}</a>
                        </p>
                    }
                })}
        </section>
    }
    .into_any()
}

#[component]
fn CreateForm(ctx: RequestContext) -> impl IntoView {
    let texts = &ctx.texts().apps;
    let submitted = SubmittedFields::take(&ctx);
    view! {
        <PostForm
            id="create"
            class="card narrow"
            action=CreateApp::url()
            button=texts.create
        >
            <h2>{texts.create_title}</h2>
            <FormErrorNote form="create" />
            <Field
                form="create"
                name="name"
                kind=FieldKind::Text
                label=texts.name
                hint=texts.name_hint
                value=submitted.get("name")
                max=100
            />
        </PostForm>
    }
    .into_any()
}
