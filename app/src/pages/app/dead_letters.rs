//! What could not be delivered, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, DeadLetterRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{Column, EmptyState, List, NumberCell, Pager, TimeCell, TimeStyle, older};
use crate::i18n::{DeadLettersTexts, group_thousands};
use crate::islands::host;
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The page of dead letters that `before` and `before_id` ask for.
#[component]
pub fn DeadLettersPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let page = ctx.service().dead_letters(&access, &asked).await?;
        Ok(view! { <DeadLettersView ctx app page /> }.into_any())
    })
}

#[component]
fn DeadLettersView(
    ctx: RequestContext,
    app: AppRecord,
    page: Page<DeadLetterRecord>,
) -> impl IntoView {
    let texts = &ctx.texts().app.dead_letters;
    let base = app_path(&app);
    let path = format!("{base}/dead-letters");
    let older = older(&path, &page);
    let row = |letter| view! { <Row texts base=base.clone() letter /> }.into_any();
    let rows = page.items.into_iter().map(row).collect();
    let columns = vec![
        Column::Text(texts.endpoint),
        Column::Text(texts.reason),
        Column::Number(texts.status),
        Column::Number(texts.attempts),
        Column::Text(texts.time),
        Column::Actions(texts.send),
    ];
    view! {
        <AppFrame app section=Section::DeadLetters>
            <p class="lead">{texts.lead}</p>
            <List class="list dead-letters" columns rows>
                <EmptyState title=texts.empty_title text=texts.empty />
            </List>
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static DeadLettersTexts, base: String, letter: DeadLetterRecord) -> impl IntoView {
    let status = letter
        .http_status
        .map_or_else(|| "–".to_owned(), |status| status.to_string());
    let detail = letter.detail.map(|text| {
        view! {
            <span class="hint" dir="auto">
                {text}
            </span>
        }
    });
    let host = host(&letter.endpoint);
    view! {
        <tr>
            <td class="endpoint" title=letter.endpoint>
                <b>{host}</b>
                <code>{letter.subscription_id}</code>
            </td>
            <td class="state-cell">
                {texts.reasons.explain(&letter.reason).to_owned()} {detail}
            </td>
            <NumberCell label=texts.status value=status />
            <NumberCell label=texts.attempts value=group_thousands(letter.attempts) />
            <TimeCell at=letter.created_at style=TimeStyle::Ago />
            <td class="actions-cell">
                <a href=format!("{base}/sends/{}", letter.send_id)>{texts.send}</a>
            </td>
        </tr>
    }
    .into_any()
}
