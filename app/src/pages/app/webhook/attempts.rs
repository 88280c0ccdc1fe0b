//! Attempts to post events, newest first.

use hato_service::ports::{AttemptRecord, WebhookResponse};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::components::{Column, FormErrorNote, NumberCell, PostForm, Table, TimeStyle, Timestamp};
use crate::i18n::WebhookTexts;
use crate::server_fns::ResendEvent;

/// The last attempts as a table, whose rows open to what was sent and answered.
#[component]
pub fn AttemptsSection(
    texts: &'static WebhookTexts,
    app: String,
    path: String,
    attempts: Vec<AttemptRecord>,
    /// Whether events can be posted again.
    is_active: bool,
) -> impl IntoView {
    let list = if attempts.is_empty() {
        view! { <p class="empty">{texts.no_attempts}</p> }.into_any()
    } else {
        let rows = attempts.into_iter().map(move |attempt| {
            let (app, path) = (is_active.then(|| app.clone()), path.clone());
            view! { <AttemptRow texts app path attempt /> }
        });
        let columns = vec![
            Column::Text(texts.time),
            Column::Text(texts.event),
            Column::Text(texts.status),
            Column::Number(texts.duration),
            Column::Number(texts.attempt),
        ];
        view! {
            <Table class="list attempts" columns>
                {rows.collect_view()}
            </Table>
        }
        .into_any()
    };
    view! {
        <section class="card listing" id="attempts" data-live>
            <h2>{texts.attempts}</h2>
            <p class="hint">{texts.attempts_lead}</p>
            <FormErrorNote form="attempts" />
            {list}
        </section>
    }
    .into_any()
}

#[component]
fn AttemptRow(
    texts: &'static WebhookTexts,
    /// Given when the event can be posted again.
    app: Option<String>,
    path: String,
    attempt: AttemptRecord,
) -> impl IntoView {
    let attempt_name = format!("{} {}", attempt.event_id, attempt.attempt);
    let named = |label: &str| format!("{label} {attempt_name}");
    let (class, result) = result(texts, &attempt.response);
    let event = attempt.event_id.to_string();
    let headers = headers(&attempt);
    let duration = format!("{} ms", attempt.duration.as_millis());
    let request = format!("{path}/webhook?event={event}#request");
    let resend = app.map(|app| {
        let (action, hidden) = (
            ResendEvent::url(),
            vec![("app", app), ("event", event.clone())],
        );
        view! { <PostForm action hidden button=texts.resend button_class="button quiet" /> }
    });
    view! {
        <tr>
            <td class="time">
                <Timestamp at=attempt.started_at style=TimeStyle::Second />
            </td>
            <td class="content">
                <b>{attempt.kind.as_str()}</b>
                {attempt
                    .next_at
                    .map(|next| {
                        view! {
                            <p class="hint">
                                {texts.next} " " <Timestamp at=next style=TimeStyle::Second />
                            </p>
                        }
                    })}
                <details>
                    <summary>
                        <code>{event}</code>
                    </summary>
                    <p class="hint">{attempt.url}</p>
                    <p>
                        <a href=request>{texts.request}</a>
                    </p>
                    <WireText label=texts.headers name=named(texts.headers) text=headers />
                    <ResponseBody texts name=named(texts.response) response=attempt.response />
                    {resend}
                </details>
            </td>
            <td>
                <span class=class>{result}</span>
            </td>
            <NumberCell label=texts.duration value=duration />
            <NumberCell label=texts.attempt value=attempt.attempt.to_string() />
        </tr>
    }
    .into_any()
}

/// Whether the receiver has taken the event.
pub fn has_arrived(response: &WebhookResponse) -> bool {
    matches!(response, WebhookResponse::Received { status, .. } if (200..300).contains(status))
}

/// The class of the status, and its text.
pub fn result(texts: &WebhookTexts, response: &WebhookResponse) -> (&'static str, String) {
    let class = if has_arrived(response) {
        "status done"
    } else {
        "status queued"
    };
    let text = match response {
        WebhookResponse::Received { status, .. } => status.to_string(),
        WebhookResponse::NotReceived(failure) => texts.failure(*failure).to_owned(),
    };
    (class, text)
}

/// The headers of the request by which a receiver verifies it, as they were sent; nothing when none were.
fn headers(attempt: &AttemptRecord) -> String {
    if attempt.signature.is_empty() {
        return String::new();
    }
    format!(
        "webhook-id: {}\nwebhook-timestamp: {}\nwebhook-signature: {}",
        attempt.event_id,
        attempt.started_at.0.div_euclid(1_000),
        attempt.signature
    )
}

#[component]
fn ResponseBody(
    texts: &'static WebhookTexts,
    name: String,
    response: WebhookResponse,
) -> impl IntoView {
    let WebhookResponse::Received { text, .. } = response else {
        return ().into_any();
    };
    let text = if text.is_empty() {
        texts.no_response.to_owned()
    } else {
        text
    };
    view! { <WireText label=texts.response name text /> }.into_any()
}

/// What went over the wire, if anything did.
#[component]
fn WireText(
    label: &'static str,
    /// What assistive technology calls it, unlike any other on the page.
    name: String,
    text: String,
) -> impl IntoView {
    if text.is_empty() {
        return ().into_any();
    }
    view! {
        <p class="hint">{label}</p>
        <div class="code line" translate="no">
            <pre tabindex="0" role="region" aria-label=name>
                <code>{text}</code>
            </pre>
        </div>
    }
    .into_any()
}
