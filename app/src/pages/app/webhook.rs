//! The app's webhook: where events go, what signs them, and what became of them.

mod attempts;
mod settings;

use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use hato_service::ports::{AppRecord, AttemptRecord};
use hato_service::{Outcome, Webhook};
use leptos::prelude::*;

use self::attempts::{AttemptsSection, RequestSection};
use self::settings::{SecretSection, SwitchedOff, TestSection, UrlSection};
use super::may_manage;
use crate::calls::Typed;
use crate::components::{Frame, Note, Tone};
use crate::pages::{Lively, loaded};
use crate::visit::Visit;

/// What the page shows.
struct Overview {
    app: AppRecord,
    webhook: Option<Webhook>,
    attempts: Vec<AttemptRecord>,
    /// What was posted, for the event that the query names.
    request: Option<String>,
}

/// The page of the app's webhook.
#[component]
pub fn WebhookPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let access = may_manage(&visit).await?;
        let overview = Overview {
            app: visit.service().app(&access).await?,
            webhook: there(visit.service().webhook(&access).await)?,
            attempts: visit.service().webhook_attempts(&access).await?,
            request: request(&visit, &access).await?,
        };
        Ok(view! { <Sections visit overview /> }.into_any())
    })
}

/// What the query asks to see; an event that is not there any more is nothing to see.
async fn request(visit: &Visit, access: &MayManage) -> Outcome<Option<String>> {
    match visit.query("event") {
        Some(event) => there(visit.service().webhook_event_body(access, &event).await),
        None => Ok(None),
    }
}

fn there<T>(outcome: Outcome<T>) -> Outcome<Option<T>> {
    match outcome {
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
        request,
    } = overview;
    let id = app.id.to_string();
    let path = format!("/apps/{id}");
    let title = format!("{} · {}", texts.title, app.name);
    let done = visit.query("done").and_then(|word| texts.done(&word));
    let disabled = webhook.as_ref().and_then(|webhook| webhook.disabled);
    let is_active = webhook.is_some() && disabled.is_none();
    let secret = webhook.clone();
    view! {
        <Frame title>
            <Lively />
            <div class="app-head">
                <p class="crumb">
                    <a href=path.clone()>{app.name}</a>
                </p>
                <h1>{texts.title}</h1>
                <p>{texts.lead}</p>
            </div>
            {done
                .map(|done| {
                    view! {
                        <Note tone=Tone::Good>
                            <p>{done}</p>
                        </Note>
                    }
                })}
            {disabled.map(|reason| view! { <SwitchedOff texts app=id.clone() reason /> })}
            <div class="app">
                <div class="app-main">
                    <UrlSection texts app=id.clone() plan=app.plan url=app.webhook_url typed />
                    {request.map(|body| view! { <RequestSection texts body /> })}
                    <AttemptsSection texts app=id.clone() path attempts is_active />
                </div>
                <div class="app-side">
                    {secret
                        .map(|webhook| {
                            view! { <SecretSection texts app=id.clone() webhook /> }
                        })}
                    {is_active.then(|| view! { <TestSection texts app=id.clone() /> })}
                </div>
            </div>
        </Frame>
    }
    .into_any()
}
