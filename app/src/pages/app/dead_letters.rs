//! What could not be delivered, newest first.

use hato_domain::wire::Page;
use hato_service::ports::{AppRecord, DeadLetterRecord};
use leptos::prelude::*;

use super::frame::{AppFrame, Section, app_path};
use super::{load_app, requested_page};
use crate::components::{EmptyState, Pager, Timestamp, older};
use crate::i18n::{DeadLettersTexts, group_thousands};
use crate::islands::host;
use crate::pages::load_page;
use crate::request_context::RequestContext;

/// The page of dead letters that `before` and `before_id` ask for.
#[component]
pub fn DeadLettersPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        let page = ctx
            .service()
            .dead_letters(&access, &requested_page(&ctx)?)
            .await?;
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
    let list = if page.items.is_empty() {
        view! { <EmptyState title=texts.empty_title text=texts.empty /> }.into_any()
    } else {
        view! { <Table texts base letters=page.items /> }.into_any()
    };
    view! {
        <AppFrame app section=Section::DeadLetters>
            <p class="lead">{texts.lead}</p>
            {list}
            <Pager path older />
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Table(
    texts: &'static DeadLettersTexts,
    base: String,
    letters: Vec<DeadLetterRecord>,
) -> impl IntoView {
    let rows = letters
        .into_iter()
        .map(|letter| view! { <Row texts base=base.clone() letter /> })
        .collect_view();
    view! {
        <div class="card listing">
            <table class="list dead-letters">
                <thead>
                    <tr>
                        <th scope="col">{texts.endpoint}</th>
                        <th scope="col">{texts.reason}</th>
                        <th scope="col" class="number">
                            {texts.status}
                        </th>
                        <th scope="col" class="number">
                            {texts.attempts}
                        </th>
                        <th scope="col">{texts.time}</th>
                        <th scope="col">
                            <span class="visually-hidden">{texts.send}</span>
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
fn Row(texts: &'static DeadLettersTexts, base: String, letter: DeadLetterRecord) -> impl IntoView {
    let status = letter
        .http_status
        .map_or_else(|| "–".to_owned(), |status| status.to_string());
    let host = host(&letter.endpoint);
    view! {
        <tr>
            <td class="endpoint" title=letter.endpoint>
                <b>{host}</b>
                <code>{letter.subscription_id}</code>
            </td>
            <td>{texts.reasons.explain(&letter.reason).to_owned()}</td>
            <td class="number" data-label=texts.status>
                {status}
            </td>
            <td class="number" data-label=texts.attempts>
                {group_thousands(letter.attempts)}
            </td>
            <td class="time">
                <Timestamp at=letter.created_at />
            </td>
            <td class="actions-cell">
                <a href=format!("{base}/sends/{}", letter.send_id)>{texts.send}</a>
            </td>
        </tr>
    }
    .into_any()
}
