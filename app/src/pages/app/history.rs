//! What the app has sent, newest first.

mod search;

use hato_domain::Tracking;
use hato_service::ports::{AppRecord, SendPage, SendRecord};
use leptos::nonce::use_nonce;
use leptos::prelude::*;

use super::delivery_bar::DeliveryBar;
use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{
    Column, EmptyState, List, Note, NumberCell, Pager, TimeCell, TimeStyle, Tone, older_than,
};
use crate::i18n::{AppTexts, HistoryTexts, group_thousands};
use crate::islands::LiveRefresh;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;
use search::{HistoryQuery, HistorySearch, searched_path};
pub use search::{day_path, filter as history_filter};

/// The page of the history that the search and the cursor ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let query = HistoryQuery::parse(&|name| ctx.query(name))?;
        let found = ctx.service().search_history(&access, &query.filter, &asked);
        let page = found.await?;
        Ok(view! { <HistoryView ctx app query page /> }.into_any())
    })
}

#[component]
fn HistoryView(
    ctx: RequestContext,
    app: AppRecord,
    query: HistoryQuery,
    page: SendPage,
) -> impl IntoView {
    let texts = &ctx.texts().app;
    let base = app_path(&app);
    let path = format!("{base}/history");
    let newest = searched_path(&path, &query);
    let older = page.next.as_ref().map(|next| older_than(&newest, next));
    let is_filtered = query.filter.is_search();
    let search = (!page.items.is_empty() || is_filtered).then(|| {
        let script = ctx.app_context().package_file("-history.js");
        view! {
            <HistorySearch texts=&texts.history path query=query.clone() />
            <script src=script nonce=use_nonce() defer=true></script>
            <p>
                <a href=searched_path(&format!("{base}/history.csv"), &query) download>
                    {texts.history.download}
                </a>
            </p>
        }
    });
    let cut_short = page.is_cut_short.then(|| {
        let text = texts.history.cut_short(page.next.is_some());
        view! { <Note tone=Tone::Warning text /> }
    });
    let live = (!page.items.is_empty()).then(|| {
        view! {
            <LiveRefresh
                path=ctx.path_and_query().to_owned()
                running=".status:is(.scheduled, .queued, .sending)".to_owned()
                texts=texts.frame.live_errors()
            />
        }
    });
    let counts = app.messages.tracking == Tracking::Counts || page.items.iter().any(has_counted);
    let row =
        |send| view! { <Row texts=&texts.history base=base.clone() send counts /> }.into_any();
    let rows = page.items.into_iter().map(row).collect();
    view! {
        <AppFrame app section=Section::History>
            <IslandAssets />
            {search}
            {cut_short}
            {live}
            <List class="list sends" live_id="sends" columns=columns(&texts.history, counts) rows>
                <Empty texts base is_filtered />
            </List>
            <Pager path=newest older />
        </AppFrame>
    }
    .into_any()
}

/// What stands there instead of a list without entries.
#[component]
fn Empty(texts: &'static AppTexts, base: String, is_filtered: bool) -> impl IntoView {
    if is_filtered {
        return view! { <p class="empty">{texts.history.none_found}</p> }.into_any();
    }
    view! {
        <EmptyState title=texts.history.empty_title text=texts.history.empty>
            <a class="button" href=format!("{base}/send")>
                {texts.frame.compose}
            </a>
        </EmptyState>
    }
    .into_any()
}

fn has_counted(send: &SendRecord) -> bool {
    send.engagement.displayed + send.engagement.clicked > 0
}

/// Displays and clicks where the app counts what recipients do, or has counted.
fn columns(texts: &HistoryTexts, counts: bool) -> Vec<Column> {
    let mut columns = vec![
        Column::Text(texts.content),
        Column::Text(texts.time),
        Column::Text(texts.status),
        Column::Number(texts.recipients),
        Column::Number(texts.sent),
        Column::Number(texts.failed),
    ];
    if counts {
        columns.push(Column::Number(texts.displayed));
        columns.push(Column::Number(texts.clicked));
    }
    columns.push(Column::Actions(texts.again));
    columns
}

#[component]
fn Row(
    texts: &'static HistoryTexts,
    base: String,
    send: SendRecord,
    /// Whether the app counts what recipients do.
    counts: bool,
) -> impl IntoView {
    let failed = send.counts.failed_expired + send.counts.failed_other;
    let engagement = counts.then(|| {
        let (displayed, clicked) = (send.engagement.displayed, send.engagement.clicked);
        view! {
            <NumberCell label=texts.displayed value=group_thousands(displayed) />
            <NumberCell label=texts.clicked value=group_thousands(clicked) />
        }
    });
    let (status, status_name) = texts.badge(&send);
    let again = format!("{base}/send?from={}", send.id);
    let about = (texts.again_about)(&send.title);
    let bar = view! { <DeliveryBar texts send=send.clone() /> };
    view! {
        <tr>
            <td class="content">
                <a href=format!("{base}/sends/{}", send.id) dir="auto">
                    {send.title}
                </a>
                <span dir="auto">{send.body}</span>
            </td>
            <TimeCell
                at=send.schedule.send_at().unwrap_or(send.created_at)
                style=TimeStyle::Ago
            />
            <td>
                <span class=format!("status {status}")>{status_name}</span>
                {bar}
            </td>
            <NumberCell label=texts.recipients value=group_thousands(send.recipients) />
            <NumberCell label=texts.sent value=group_thousands(send.counts.sent) />
            <NumberCell label=texts.failed value=group_thousands(failed) />
            {engagement}
            <td class="actions-cell">
                <a class="again" href=again aria-label=about dir="auto">
                    {texts.again}
                </a>
            </td>
        </tr>
    }
    .into_any()
}
