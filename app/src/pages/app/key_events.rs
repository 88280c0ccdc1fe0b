//! What happened to the app's keys, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, KeyEventRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{load_app, requested_page};
use crate::components::{EmptyState, Pager, Timestamp, older};
use crate::i18n::KeysTexts;
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The page of events that `before` and `before_id` ask for.
#[component]
pub fn KeyEventsPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let page = ctx
            .service()
            .key_events(&access, &requested_page(&ctx)?)
            .await?;
        Ok(view! { <KeyEventsView ctx app page /> }.into_any())
    })
}

#[component]
fn KeyEventsView(ctx: RequestContext, app: AppRecord, page: Page<KeyEventRecord>) -> impl IntoView {
    let texts = &ctx.texts().app;
    let keys = format!("{}/keys", app_path(&app));
    let path = format!("{keys}/history");
    let older = older(&path, &page);
    view! {
        <AppFrame app section=Section::Keys title=texts.keys.events>
            <p class="lead">{texts.keys.events_lead}</p>
            <p>
                <a href=keys>{texts.frame.keys}</a>
            </p>
            <List texts=&texts.keys events=page.items />
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn List(texts: &'static KeysTexts, events: Vec<KeyEventRecord>) -> impl IntoView {
    if events.is_empty() {
        return view! { <EmptyState title=texts.no_events text=texts.events_lead /> }.into_any();
    }
    let rows = events
        .into_iter()
        .map(|event| view! { <Row texts event /> })
        .collect_view();
    view! {
        <div class="card listing">
            <table class="list events">
                <thead>
                    <tr>
                        <th scope="col">{texts.name}</th>
                        <th scope="col">{texts.event}</th>
                        <th scope="col">{texts.scope}</th>
                        <th scope="col">{texts.by}</th>
                        <th scope="col">{texts.time}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static KeysTexts, event: KeyEventRecord) -> impl IntoView {
    let kind = event.event.as_str();
    view! {
        <tr>
            <td class="content">
                <b>{event.key_name}</b>
            </td>
            <td>
                <span class=format!("status {kind}")>{texts.happened(event.event)}</span>
            </td>
            <td>
                <code class=format!(
                    "scope {}",
                    event.key_scope.as_str(),
                )>{event.key_scope.as_str()}</code>
            </td>
            <td data-label=texts.by>{event.actor.name}</td>
            <td class="time">
                <Timestamp at=event.created_at />
            </td>
        </tr>
    }
    .into_any()
}
