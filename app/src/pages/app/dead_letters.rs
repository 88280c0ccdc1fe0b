//! What could not be delivered, newest first: of an app, or of one of its sends.

use hato_domain::wire::Page;
use hato_domain::{Endpoint, SendId};
use hato_service::ports::{AppRecord, DeadLetterRecord};
use leptos::prelude::*;

use super::advice::Advice;
use super::frame::{AppFrame, Section, app_path};
use super::{PAGE_SIZE, load_app, requested_page};
use crate::components::{Column, EmptyState, List, NumberCell, Pager, TimeCell, TimeStyle, older};
use crate::i18n::{AppTexts, DeadLettersTexts, group_thousands};
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The page of dead letters that `before` and `before_id` ask for.
#[component]
pub fn DeadLettersPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let asked = requested_page(&ctx, PAGE_SIZE)?;
        let send = ctx.query("send").map(|id| SendId::parse(&id)).transpose()?;
        let letters = ctx.service().dead_letters(&access, send.as_ref(), &asked);
        let page = letters.await?;
        Ok(view! { <DeadLettersView ctx app send page /> }.into_any())
    })
}

#[component]
fn DeadLettersView(
    ctx: RequestContext,
    app: AppRecord,
    /// The send whose dead letters alone are listed.
    send: Option<SendId>,
    page: Page<DeadLetterRecord>,
) -> impl IntoView {
    let app_texts = &ctx.texts().app;
    let texts = &app_texts.dead_letters;
    let base = app_path(&app);
    let all = format!("{base}/dead-letters");
    let of_send = send.as_ref().map(|send| {
        let back = format!("{base}/sends/{send}");
        view! {
            <p class="note" role="note">
                {texts.of_send} " " <a href=back>{texts.to_send}</a> " · "
                <a href=all.clone()>{texts.all}</a>
            </p>
        }
    });
    let path = send.map_or_else(|| all.clone(), |send| format!("{all}?send={send}"));
    let older = older(&path, &page);
    let row = |letter| view! { <Row texts=app_texts base=base.clone() letter /> }.into_any();
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
            {of_send}
            <List class="list dead-letters" columns rows>
                <EmptyState title=texts.empty_title text=texts.empty />
            </List>
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Row(texts: &'static AppTexts, base: String, letter: DeadLetterRecord) -> impl IntoView {
    let words = &texts.dead_letters;
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
    let host = Endpoint::written_host(&letter.endpoint).to_owned();
    let id = letter.subscription_id;
    let path = letter
        .has_subscription
        .then(|| format!("{base}/subscribers/{id}"));
    view! {
        <tr>
            <td class="endpoint" title=letter.endpoint>
                <b>{host}</b>
                <Subscriber texts=words path id />
            </td>
            <td class="state-cell">
                <Reason texts base=base.clone() code=letter.reason /> {detail}
            </td>
            <NumberCell label=words.status value=status />
            <NumberCell label=words.attempts value=group_thousands(letter.attempts) />
            <TimeCell at=letter.created_at style=TimeStyle::Ago />
            <td class="actions-cell">
                <a href=format!("{base}/sends/{}", letter.send_id)>{words.send}</a>
            </td>
        </tr>
    }
    .into_any()
}

/// The recipient of a dead letter, with a link to the subscription that is still there.
#[component]
fn Subscriber(
    texts: &'static DeadLettersTexts,
    /// The page of one who is still there.
    path: Option<String>,
    id: String,
) -> impl IntoView {
    match path {
        Some(path) => view! {
            <a href=path>
                <code>{id}</code>
            </a>
        }
        .into_any(),
        None => view! { <span class="hint">{texts.removed}</span> }.into_any(),
    }
}

/// Why it failed, which opens to what to do about it.
#[component]
fn Reason(texts: &'static AppTexts, base: String, code: String) -> impl IntoView {
    let said = texts.dead_letters.reasons.explain(&code).to_owned();
    match Advice::new(texts, &base, &code) {
        None => said.into_any(),
        Some(advice) => view! {
            <details class="reason">
                <summary>{said}</summary>
                <p class="hint">{advice.render()}</p>
            </details>
        }
        .into_any(),
    }
}
