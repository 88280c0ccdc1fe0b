//! The app's webhook: where events go, what signs them, and what became of them.

mod attempts;
mod event;
mod queued;
mod settings;

use hato_domain::ErrorCode;
use hato_service::ports::{AppRecord, AttemptRecord};
use hato_service::{ServiceResult, WebhookDetails};
use leptos::prelude::*;

use self::attempts::AttemptsSection;
use self::event::EventRequest;
use self::queued::QueuedNote;
use self::settings::{DisabledNotice, SecretSection, TestSection, UrlSection};
use super::frame::{AppFrame, Section, app_path};
use super::load_app;
use crate::components::SuccessNote;
use crate::pages::{IslandAssets, load_page};
use crate::queued_event::QueuedEvent;
use crate::request_context::RequestContext;
use crate::server_fns::SubmittedFields;

/// What the page shows of the app, its webhook and the last attempts.
struct WebhookOverview {
    app: AppRecord,
    webhook: Option<WebhookDetails>,
    attempts: Vec<AttemptRecord>,
}

/// The page of the app's webhook, or of one of its events: `?event=`.
#[component]
pub fn WebhookPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let (access, app) = load_app(&ctx).await?;
        if let Some(event) = ctx.query("event") {
            let event = ctx.service().webhook_event(&access, &event).await;
            let event = none_if_not_found(event)?;
            let attempts = ctx.service().webhook_attempts(&access).await?;
            return Ok(view! { <EventRequest ctx app event attempts /> }.into_any());
        }
        // The attempts come first: the webhook is then at least as new as what they have made of it, and the page, which is
        // asked for until the attempt is seen, does not end with one that has not yet been disabled by it.
        let attempts = ctx.service().webhook_attempts(&access).await?;
        let webhook = none_if_not_found(ctx.service().webhook(&access).await)?;
        let overview = WebhookOverview {
            app,
            webhook,
            attempts,
        };
        Ok(view! { <WebhookSections ctx overview /> }.into_any())
    })
}

fn none_if_not_found<T>(result: ServiceResult<T>) -> ServiceResult<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(failure) if failure.code() == ErrorCode::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[component]
fn WebhookSections(ctx: RequestContext, overview: WebhookOverview) -> impl IntoView {
    let texts = &ctx.texts().app.webhook;
    let submitted = SubmittedFields::take(&ctx);
    let WebhookOverview {
        app,
        webhook,
        attempts,
    } = overview;
    let id = app.id.to_string();
    let path = app_path(&app);
    let disabled = webhook.as_ref().and_then(|webhook| webhook.disabled);
    let is_active = webhook.is_some() && disabled.is_none();
    let secret = webhook.clone();
    let queued = QueuedEvent::asked_for(&ctx).filter(|_| webhook.is_some());
    let queued = queued.map(|event| {
        let (attempt, path) = (event.attempt(&attempts), ctx.path_and_query().to_owned());
        let live = ctx.texts().app.frame.live_errors();
        view! { <QueuedNote texts attempt path live /> }
    });
    view! {
        <AppFrame app=app.clone() section=Section::Webhook title=texts.title>
            <IslandAssets />
            <p class="lead">{texts.lead}</p>
            {texts.done().map(|(what, text)| view! { <SuccessNote what text /> })}
            {queued}
            <div class="live-part" id="webhook-state" data-live>
                {disabled.map(|reason| view! { <DisabledNotice texts app=id.clone() reason /> })}
            </div>
            <UrlSection texts app=id.clone() plan=app.plan url=app.webhook_url submitted />
            {secret.map(|webhook| view! { <SecretSection texts app=id.clone() webhook /> })}
            <div class="live-part" id="webhook-test" data-live>
                {is_active.then(|| view! { <TestSection texts app=id.clone() /> })}
            </div>
            <AttemptsSection texts app=id.clone() path attempts is_active />
        </AppFrame>
    }
    .into_any()
}
