//! What happened to the app's keys, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, KeyEventRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, path_of};
use super::{asked_for, managed};
use crate::components::{Moment, Nothing, Pager, older};
use crate::i18n::Keys;
use crate::pages::loaded;
use crate::visit::Visit;

/// The page of events that `before` and `before_id` ask for.
#[component]
pub fn KeyEventsPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        let page = visit
            .service()
            .key_events(&access, &asked_for(&visit)?)
            .await?;
        Ok(view! { <Events visit app page /> }.into_any())
    })
}

#[component]
fn Events(visit: Visit, app: AppRecord, page: Page<KeyEventRecord>) -> impl IntoView {
    let texts = &visit.texts().app;
    let keys = format!("{}/keys", path_of(&app));
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
fn List(texts: &'static Keys, events: Vec<KeyEventRecord>) -> impl IntoView {
    if events.is_empty() {
        return view! { <Nothing title=texts.no_events text=texts.events_lead /> }.into_any();
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
fn Row(texts: &'static Keys, event: KeyEventRecord) -> impl IntoView {
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
                <Moment at=event.created_at />
            </td>
        </tr>
    }
    .into_any()
}
