//! What the app has sent, newest first.

use hato_domain::Tracking;
use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, SendRecord, SendStatus};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{Column, EmptyState, List, NumberCell, Pager, TimeCell, TimeStyle, older};
use crate::i18n::{AppTexts, HistoryTexts, group_thousands};
use crate::islands::LiveRefresh;
use crate::local_path::with_query;
use crate::pages::{IslandAssets, load_page};
use crate::request_context::RequestContext;

/// What the list can be narrowed down to.
const STATUSES: [SendStatus; 6] = [
    SendStatus::Scheduled,
    SendStatus::Queued,
    SendStatus::Sending,
    SendStatus::Done,
    SendStatus::Cancelled,
    SendStatus::Refused,
];

/// The page of the history that `before` and `before_id` ask for.
#[component]
pub fn HistoryPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let status = asked_status(&ctx);
        let page = ctx.service().history(&access, &asked, status).await?;
        Ok(view! { <HistoryView ctx app status page /> }.into_any())
    })
}

/// The status that the query asks for, if it is one.
fn asked_status(ctx: &RequestContext) -> Option<SendStatus> {
    let asked = ctx.query("status")?;
    STATUSES.into_iter().find(|it| it.as_str() == asked)
}

#[component]
fn HistoryView(
    ctx: RequestContext,
    app: AppRecord,
    status: Option<SendStatus>,
    page: Page<SendRecord>,
) -> impl IntoView {
    let texts = &ctx.texts().app;
    let base = app_path(&app);
    let path = format!("{base}/history");
    let newest = with_query(&path, &[("status", status.map_or("", |it| it.as_str()))]);
    let older = older(&newest, &page);
    let filter = (!page.items.is_empty() || status.is_some())
        .then(|| view! { <StatusFilter texts=&texts.history path status /> });
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
            {filter}
            {live}
            <List class="list sends" live_id="sends" columns=columns(&texts.history, counts) rows>
                <Empty texts base is_filtered=status.is_some() />
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

/// The form that chooses a status.
#[component]
fn StatusFilter(
    texts: &'static HistoryTexts,
    path: String,
    status: Option<SendStatus>,
) -> impl IntoView {
    let choice = |it: SendStatus| {
        view! {
            <option value=it.as_str() selected={status == Some(it)}>
                {texts.progress(it)}
            </option>
        }
    };
    view! {
        <form class="search" method="get" action=path>
            <div class="field">
                <label for="filter-status">{texts.status}</label>
                <select id="filter-status" name="status">
                    <option value="">{texts.any}</option>
                    {STATUSES.map(choice)}
                </select>
            </div>
            <button type="submit" class="button quiet">
                {texts.filter}
            </button>
        </form>
    }
    .into_any()
}

fn has_counted(send: &SendRecord) -> bool {
    send.engagement.displayed + send.engagement.clicked > 0
}

/// The last two where the app counts what recipients do, or has counted.
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
            </td>
            <NumberCell label=texts.recipients value=group_thousands(send.recipients) />
            <NumberCell label=texts.sent value=group_thousands(send.counts.sent) />
            <NumberCell label=texts.failed value=group_thousands(failed) />
            {engagement}
        </tr>
    }
    .into_any()
}
