//! What the app has sent, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, SendRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{load_app, requested_page};
use crate::components::{EmptyState, Pager, Timestamp, older};
use crate::i18n::{AppTexts, HistoryTexts, group_thousands};
use crate::islands::LiveRefresh;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;

/// The page of the history that `before` and `before_id` ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let page = ctx
            .service()
            .history(&access, &requested_page(&ctx)?)
            .await?;
        Ok(view! { <HistoryView ctx app page /> }.into_any())
    })
}

#[component]
fn HistoryView(ctx: RequestContext, app: AppRecord, page: Page<SendRecord>) -> impl IntoView {
    let texts = &ctx.texts().app;
    let base = app_path(&app);
    let path = format!("{base}/history");
    let older = older(&path, &page);
    let list = if page.items.is_empty() {
        view! { <EmptyHistory texts base /> }.into_any()
    } else {
        let here = ctx.path_and_query().to_owned();
        view! { <LiveTable texts base here sends=page.items /> }.into_any()
    };
    view! {
        <AppFrame app section=Section::History>
            <IslandAssets />
            {list}
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn EmptyHistory(texts: &'static AppTexts, base: String) -> impl IntoView {
    view! {
        <EmptyState title=texts.history.empty_title text=texts.history.empty>
            <a class="button" href=format!("{base}/send")>
                {texts.frame.compose}
            </a>
        </EmptyState>
    }
    .into_any()
}

#[component]
fn LiveTable(
    texts: &'static AppTexts,
    base: String,
    here: String,
    sends: Vec<SendRecord>,
) -> impl IntoView {
    let rows = sends
        .into_iter()
        .map(|send| view! { <SendRow texts=&texts.history base=base.clone() send /> })
        .collect_view();
    view! {
        <LiveRefresh
            path=here
            running=".status.queued, .status.sending".to_owned()
            texts=texts.frame.live_errors()
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
fn SendRow(texts: &'static HistoryTexts, base: String, send: SendRecord) -> impl IntoView {
    let counts = send.counts;
    let status = send.status.as_str();
    view! {
        <tr>
            <td class="content">
                <a href=format!("{base}/sends/{}", send.id)>{send.title}</a>
                <span>{send.body}</span>
            </td>
            <td class="time">
                <Timestamp at=send.created_at />
            </td>
            <td>
                <span class=format!("status {status}")>{texts.progress(send.status)}</span>
            </td>
            <td class="number" data-label=texts.recipients>
                {group_thousands(send.recipients)}
            </td>
            <td class="number" data-label=texts.sent>
                {group_thousands(counts.sent)}
            </td>
            <td class="number" data-label=texts.failed>
                {group_thousands(counts.failed_expired + counts.failed_other)}
            </td>
        </tr>
    }
    .into_any()
}
