//! One event of the webhook: when it happened, what became of it, and what is posted of it.

use hato_domain::UnixMillis;
use hato_service::PostedEvent;
use hato_service::ports::{AppRecord, AttemptRecord};
use leptos::prelude::*;

use super::super::frame::{AppFrame, Section, app_path};
use super::attempts::has_arrived;
use crate::components::{CodeBlock, Fact, TimeStyle, Timestamp};
use crate::i18n::WebhookTexts;
use crate::pages::IslandAssets;
use crate::request_context::RequestContext;

/// What was posted of an event; one that is not there any more is nothing to see.
#[component]
pub fn EventRequest(
    ctx: RequestContext,
    app: AppRecord,
    event: Option<PostedEvent>,
    /// The last attempts to post events of the app, newest first.
    attempts: Vec<AttemptRecord>,
) -> impl IntoView {
    let texts = &ctx.texts().app.webhook;
    let path = format!("{}/webhook", app_path(&app));
    let shown = match event {
        Some(event) => view! {
            <Moments texts created_at=event.created_at delivery=delivery(texts, &event, &attempts) />
            <CodeBlock id="request-body" label=texts.request text=event.body />
        }
        .into_any(),
        None => view! { <p class="empty">{texts.no_event}</p> }.into_any(),
    };
    view! {
        <AppFrame app section=Section::Webhook title=texts.request>
            <IslandAssets />
            <div id="request">{shown}</div>
            <p>
                <a class="button quiet small" href=path>
                    {ctx.texts().app.frame.back}
                </a>
            </p>
        </AppFrame>
    }
    .into_any()
}

#[component]
fn Moments(
    texts: &'static WebhookTexts,
    created_at: UnixMillis,
    /// What is known of its delivery, and when that was or will be.
    delivery: Option<(&'static str, UnixMillis)>,
) -> impl IntoView {
    let fact = |label: &'static str, at: UnixMillis| {
        view! {
            <Fact label>
                <Timestamp at style=TimeStyle::Second />
            </Fact>
        }
    };
    view! {
        <dl class="facts">
            {fact(texts.happened, created_at)}
            {delivery.map(|(label, at)| fact(label, at))}
        </dl>
    }
    .into_any()
}

/// When the event arrived first, or else when it is posted again, or was for the last time; nothing before the first attempt, and after
/// its attempts have been removed.
fn delivery(
    texts: &'static WebhookTexts,
    event: &PostedEvent,
    attempts: &[AttemptRecord],
) -> Option<(&'static str, UnixMillis)> {
    let mut own = attempts.iter().filter(|it| it.event_id == event.id);
    let arrived = own.clone().rfind(|it| has_arrived(&it.response));
    if let Some(arrived) = arrived {
        return Some((texts.delivered, arrived.started_at));
    }
    let newest = own.next()?;
    let next = newest.next_at.map(|at| (texts.next_attempt, at));
    Some(next.unwrap_or((texts.last_attempt, newest.started_at)))
}
