//! What happened to the app's keys, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, KeyEventRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{Column, EmptyState, List, Pager, TimeCell, older};
use crate::i18n::KeysTexts;
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The page of events that `before` and `before_id` ask for.
#[component]
pub fn KeyEventsPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let page = ctx.service().key_events(&access, &asked).await?;
        Ok(view! { <KeyEventsView ctx app page /> }.into_any())
    })
}

#[component]
fn KeyEventsView(ctx: RequestContext, app: AppRecord, page: Page<KeyEventRecord>) -> impl IntoView {
    let texts = &ctx.texts().app;
    let keys = format!("{}/keys", app_path(&app));
    let path = format!("{keys}/history");
    let older = older(&path, &page);
    let row = |event| view! { <Row texts=&texts.keys event /> }.into_any();
    let rows = page.items.into_iter().map(row).collect();
    let columns = columns(&texts.keys);
    view! {
        <AppFrame app section=Section::Keys title=texts.keys.events>
            <p class="lead">{texts.keys.events_lead}</p>
            <p>
                <a href=keys>{texts.frame.keys}</a>
            </p>
            <List class="list events" columns rows>
                <EmptyState title=texts.keys.no_events text=texts.keys.events_lead />
            </List>
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

fn columns(texts: &KeysTexts) -> Vec<Column> {
    let names = [texts.name, texts.event, texts.scope, texts.by, texts.time];
    names.map(Column::Text).to_vec()
}

#[component]
fn Row(texts: &'static KeysTexts, event: KeyEventRecord) -> impl IntoView {
    let kind = event.event.as_str();
    let scope = event.key_scope.as_str();
    view! {
        <tr>
            <td class="content">
                <b dir="auto">{event.key_name}</b>
            </td>
            <td>
                <span class=format!("status {kind}")>{texts.happened(event.event)}</span>
            </td>
            <td>
                <code class=format!("scope {scope}")>{scope}</code>
            </td>
            <td data-label=texts.by>
                <bdi>{event.actor.name}</bdi>
            </td>
            <TimeCell at=event.created_at />
        </tr>
    }
    .into_any()
}
