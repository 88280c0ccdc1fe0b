//! What the app has sent, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, SendRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, path_of};
use super::{asked_for, managed};
use crate::components::{Moment, Nothing, Pager, older};
use crate::i18n::{App, History, grouped};
use crate::islands::Live;
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// The page of the history that `before` and `before_id` ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        let page = visit
            .service()
            .history(&access, &asked_for(&visit)?)
            .await?;
        Ok(view! { <Sends visit app page /> }.into_any())
    })
}

#[component]
fn Sends(visit: Visit, app: AppRecord, page: Page<SendRecord>) -> impl IntoView {
    let texts = &visit.texts().app;
    let base = path_of(&app);
    let path = format!("{base}/history");
    let older = older(&path, &page);
    let list = if page.items.is_empty() {
        view! { <NothingSent texts base /> }.into_any()
    } else {
        let here = visit.path_and_query().to_owned();
        view! { <LiveTable texts base here sends=page.items /> }.into_any()
    };
    view! {
        <AppFrame app section=Section::History>
            <Lively />
            {list}
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn NothingSent(texts: &'static App, base: String) -> impl IntoView {
    view! {
        <Nothing title=texts.history.empty_title text=texts.history.empty>
            <a class="button" href=format!("{base}/send")>
                {texts.frame.compose}
            </a>
        </Nothing>
    }
    .into_any()
}

#[component]
fn LiveTable(
    texts: &'static App,
    base: String,
    here: String,
    sends: Vec<SendRecord>,
) -> impl IntoView {
    let rows = sends
        .into_iter()
        .map(|send| view! { <SendRow texts=&texts.history base=base.clone() send /> })
        .collect_view();
    view! {
        <Live
            path=here
            running=".status.queued, .status.sending".to_owned()
            texts=texts.frame.trouble()
        />
        <div class="card listing" id="sends" data-live>
            <table class="list sends">
                    <thead>
                        <tr>
                            <th scope="col">{texts.history.content}</th>
                            <th scope="col">{texts.history.time}</th>
                            <th scope="col">{texts.history.status}</th>
                            <th scope="col" class="number">
                                {texts.history.recipients}
                            </th>
                            <th scope="col" class="number">
                                {texts.history.sent}
                            </th>
                            <th scope="col" class="number">
                                {texts.history.failed}
                            </th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
    }
    .into_any()
}

#[component]
fn SendRow(texts: &'static History, base: String, send: SendRecord) -> impl IntoView {
    let counts = send.counts;
    let status = send.status.as_str();
    view! {
        <tr>
            <td class="content">
                <a href=format!("{base}/sends/{}", send.id)>{send.title}</a>
                <span>{send.body}</span>
            </td>
            <td class="time">
                <Moment at=send.created_at />
            </td>
            <td>
                <span class=format!("status {status}")>{texts.progress(send.status)}</span>
            </td>
            <td class="number" data-label=texts.recipients>
                {grouped(send.recipients)}
            </td>
            <td class="number" data-label=texts.sent>
                {grouped(counts.sent)}
            </td>
            <td class="number" data-label=texts.failed>
                {grouped(counts.failed_expired + counts.failed_other)}
            </td>
        </tr>
    }
    .into_any()
}
