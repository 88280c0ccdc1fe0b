//! The app's webhook: where events go, what signs them, and what became of them.

mod attempts;
mod settings;

use hato_domain::ErrorCode;
use hato_service::ports::{AppRecord, AttemptRecord};
use hato_service::{ServiceResult, WebhookDetails};
use leptos::prelude::*;

use self::attempts::AttemptsSection;
use self::settings::{SecretSection, SwitchedOff, TestSection, UrlSection};
use super::frame::{AppFrame, Section, path_of};
use super::managed;
use crate::calls::Typed;
use crate::components::{CodeBlock, DoneNote};
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// What the page shows.
struct Overview {
    app: AppRecord,
    webhook: Option<WebhookDetails>,
    attempts: Vec<AttemptRecord>,
}

/// The page of the app's webhook, or of one of its events: `?event=`.
#[component]
pub fn WebhookPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let (access, app) = managed(&visit).await?;
        if let Some(event) = visit.query("event") {
            let body = visit.service().webhook_event_body(&access, &event).await;
            return Ok(view! { <Request visit app body=there(body)? /> }.into_any());
        }
        let overview = Overview {
            app,
            webhook: there(visit.service().webhook(&access).await)?,
            attempts: visit.service().webhook_attempts(&access).await?,
        };
        Ok(view! { <Sections visit overview /> }.into_any())
    })
}

/// What was posted of an event; one that is not there any more is nothing to see.
#[component]
fn Request(visit: Visit, app: AppRecord, body: Option<String>) -> impl IntoView {
    let texts = &visit.texts().webhook;
    let path = format!("{}/webhook", path_of(&app));
    let shown = match body {
        Some(text) => view! { <CodeBlock id="request-body" label=texts.request text /> }.into_any(),
        None => view! { <p class="empty">{texts.no_event}</p> }.into_any(),
    };
    view! {
        <AppFrame app section=Section::Webhook title=texts.request>
            <Lively />
            <div id="request">{shown}</div>
            <p>
                <a class="button quiet small" href=path>
                    {visit.texts().app.frame.back}
                </a>
            </p>
        </AppFrame>
    }
    .into_any()
}

fn there<T>(result: ServiceResult<T>) -> ServiceResult<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(failure) if failure.code() == ErrorCode::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[component]
fn Sections(visit: Visit, overview: Overview) -> impl IntoView {
    let texts = &visit.texts().webhook;
    let typed = Typed::take(&visit);
    let Overview {
        app,
        webhook,
        attempts,
    } = overview;
    let id = app.id.to_string();
    let path = path_of(&app);
    let disabled = webhook.as_ref().and_then(|webhook| webhook.disabled);
    let is_active = webhook.is_some() && disabled.is_none();
    let secret = webhook.clone();
    view! {
        <AppFrame app=app.clone() section=Section::Webhook title=texts.title>
            <Lively />
            <p>{texts.lead}</p>
            {texts.done().map(|(what, text)| view! { <DoneNote what text /> })}
            {disabled.map(|reason| view! { <SwitchedOff texts app=id.clone() reason /> })}
            <UrlSection texts app=id.clone() plan=app.plan url=app.webhook_url typed />
            {secret.map(|webhook| view! { <SecretSection texts app=id.clone() webhook /> })}
            {is_active.then(|| view! { <TestSection texts app=id.clone() /> })}
            <AttemptsSection texts app=id.clone() path attempts is_active />
        </AppFrame>
    }
    .into_any()
}
