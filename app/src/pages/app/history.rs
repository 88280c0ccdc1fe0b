//! What the app has sent, newest first.

use hato_domain::PageRequest;
use hato_domain::wire::Page;
use hato_service::Outcome;
use hato_service::access::MayManage;
use hato_service::ports::{AppRecord, SendRecord};
use leptos::prelude::*;

use super::may_manage;
use crate::components::Frame;
use crate::i18n::{App, History, grouped};
use crate::islands::LiveHistory;
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// Sends on a page.
const ITEMS: &str = "20";

/// The page of the history that `before` and `before_id` ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let access = may_manage(&visit).await?;
        let app = visit.service().app(&access).await?;
        let history = asked_for(&visit, &access).await?;
        Ok(view! { <WholeHistory visit app history /> }.into_any())
    })
}

/// The app's newest sends.
pub async fn newest(visit: &Visit, access: &MayManage) -> Outcome<Page<SendRecord>> {
    let page = PageRequest::parse(Some(ITEMS), None, None)?;
    visit.service().history(access, &page).await
}

async fn asked_for(visit: &Visit, access: &MayManage) -> Outcome<Page<SendRecord>> {
    let (before, before_id) = (visit.query("before"), visit.query("before_id"));
    let page = PageRequest::parse(Some(ITEMS), before.as_deref(), before_id.as_deref())?;
    visit.service().history(access, &page).await
}

#[component]
fn WholeHistory(visit: Visit, app: AppRecord, history: Page<SendRecord>) -> impl IntoView {
    let texts = &visit.texts().app;
    let path = format!("/apps/{}", app.id);
    let is_older = visit.query("before").is_some();
    let title = format!("{} · {}", texts.history.title, app.name);
    view! {
        <Frame title>
            <Lively />
            <div class="app-head">
                <p class="crumb">
                    <a href=path.clone()>{app.name}</a>
                </p>
            </div>
            <HistorySection texts path history is_older is_page=true />
        </Frame>
    }
    .into_any()
}

/// A page of the history of the app at `path`, and the ways to older and to the newest sends.
#[component]
pub fn HistorySection(
    texts: &'static App,
    path: String,
    history: Page<SendRecord>,
    #[prop(optional)] is_older: bool,
    /// Whether it is the whole page, and not a part of the app's.
    #[prop(optional)]
    is_page: bool,
) -> impl IntoView {
    let texts = &texts.history;
    let path = format!("{path}/history");
    let older = older(&path, &history);
    let newest = is_older.then(|| view! { <a href=path.clone()>{texts.newest}</a> });
    let title = if is_page {
        view! { <h1>{texts.title}</h1> }.into_any()
    } else {
        view! { <h2>{texts.title}</h2> }.into_any()
    };
    view! {
        <section class="card" id="history">
            {title}
            <Sends texts path history />
            <p class="pages">
                {newest}
                {older
                    .map(|path| {
                        view! {
                            <a href=path rel="next">
                                {texts.older}
                            </a>
                        }
                    })}
            </p>
        </section>
    }
    .into_any()
}

/// The path of the next page, if there is one.
fn older(path: &str, history: &Page<SendRecord>) -> Option<String> {
    let before = history.next_before?.0;
    let id = history.next_before_id.as_deref()?;
    Some(format!("{path}?before={before}&before_id={id}"))
}

#[component]
fn Sends(texts: &'static History, path: String, history: Page<SendRecord>) -> impl IntoView {
    if history.items.is_empty() {
        return view! { <p class="empty">{texts.empty}</p> }.into_any();
    }
    let rows = history
        .items
        .into_iter()
        .map(|send| view! { <SendRow texts send /> })
        .collect_view();
    view! {
        <LiveHistory path>
            <SendTable texts>{rows}</SendTable>
        </LiveHistory>
    }
    .into_any()
}

#[component]
fn SendTable(texts: &'static History, children: Children) -> impl IntoView {
    view! {
        <table class="sends">
            <thead>
                <tr>
                    <th scope="col">{texts.time}</th>
                    <th scope="col">{texts.content}</th>
                    <th scope="col">{texts.status}</th>
                    <th scope="col" class="number">
                        {texts.sent}
                    </th>
                    <th scope="col" class="number">
                        {texts.failed}
                    </th>
                    <th scope="col" class="number">
                        {texts.skipped}
                    </th>
                </tr>
            </thead>
            <tbody>{children()}</tbody>
        </table>
    }
    .into_any()
}

#[component]
fn SendRow(texts: &'static History, send: SendRecord) -> impl IntoView {
    let counts = send.counts;
    let status = send.status.as_str();
    view! {
        <tr>
            <td class="time">
                <time>{send.created_at.to_minute()}</time>
            </td>
            <td class="content">
                <b>{send.title}</b>
                <span>{send.body}</span>
            </td>
            <td>
                <span class=format!("status {status}")>{texts.progress(send.status)}</span>
            </td>
            <td class="number" data-label=texts.sent>
                {grouped(counts.sent)}
            </td>
            <td class="number" data-label=texts.failed>
                {grouped(counts.failed_expired + counts.failed_other)}
            </td>
            <td class="number" data-label=texts.skipped>
                {grouped(counts.skipped)}
            </td>
        </tr>
    }
    .into_any()
}
