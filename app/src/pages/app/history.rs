//! What the app has sent, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, SendRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{Column, EmptyState, List, NumberCell, Pager, TimeCell, older};
use crate::i18n::{HistoryTexts, group_thousands};
use crate::islands::LiveRefresh;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;

/// The page of the history that `before` and `before_id` ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let page = ctx.service().history(&access, &asked, None).await?;
        Ok(view! { <HistoryView ctx app page /> }.into_any())
    })
}

#[component]
fn HistoryView(ctx: RequestContext, app: AppRecord, page: Page<SendRecord>) -> impl IntoView {
    let texts = &ctx.texts().app;
    let base = app_path(&app);
    let path = format!("{base}/history");
    let older = older(&path, &page);
    let live = (!page.items.is_empty()).then(|| {
        view! {
            <LiveRefresh
                path=ctx.path_and_query().to_owned()
                running=".status.queued, .status.sending".to_owned()
                texts=texts.frame.live_errors()
            />
        }
    });
    let row = |send| view! { <Row texts=&texts.history base=base.clone() send /> }.into_any();
    let rows = page.items.into_iter().map(row).collect();
    view! {
        <AppFrame app section=Section::History>
            <IslandAssets />
            {live}
            <List class="list sends" live_id="sends" columns=columns(&texts.history) rows>
                <EmptyState title=texts.history.empty_title text=texts.history.empty>
                    <a class="button" href=format!("{base}/send")>
                        {texts.frame.compose}
                    </a>
                </EmptyState>
            </List>
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

fn columns(texts: &HistoryTexts) -> Vec<Column> {
    vec![
        Column::Text(texts.content),
        Column::Text(texts.time),
        Column::Text(texts.status),
        Column::Number(texts.recipients),
        Column::Number(texts.sent),
        Column::Number(texts.failed),
    ]
}

#[component]
fn Row(texts: &'static HistoryTexts, base: String, send: SendRecord) -> impl IntoView {
    let counts = send.counts;
    let failed = counts.failed_expired + counts.failed_other;
    let status = send.status.as_str();
    view! {
        <tr>
            <td class="content">
                <a href=format!("{base}/sends/{}", send.id)>{send.title}</a>
                <span>{send.body}</span>
            </td>
            <TimeCell at=send.created_at />
            <td>
                <span class=format!("status {status}")>{texts.progress(send.status)}</span>
            </td>
            <NumberCell label=texts.recipients value=group_thousands(send.recipients) />
            <NumberCell label=texts.sent value=group_thousands(counts.sent) />
            <NumberCell label=texts.failed value=group_thousands(failed) />
        </tr>
    }
    .into_any()
}
