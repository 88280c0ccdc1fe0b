//! Attempts to post events, newest first.

use hato_service::ports::{AttemptRecord, WebhookResponse};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::components::FormErrorNote;
use crate::i18n::WebhookTexts;
use crate::server_fns::ResendEvent;

/// The last attempts.
#[component]
pub fn AttemptsSection(
    texts: &'static WebhookTexts,
    app: String,
    /// The app's page.
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
        view! { <AttemptTable texts>{rows.collect_view()}</AttemptTable> }.into_any()
    };
    view! {
        <section class="card listing" id="attempts">
            <h2>{texts.attempts}</h2>
            <p class="hint">{texts.attempts_lead}</p>
            <FormErrorNote form="attempts" />
            {list}
        </section>
    }
    .into_any()
}

#[component]
fn AttemptTable(texts: &'static WebhookTexts, children: Children) -> impl IntoView {
    view! {
        <table class="list attempts">
            <thead>
                <tr>
                    <th scope="col">{texts.time}</th>
                    <th scope="col">{texts.event}</th>
                    <th scope="col">{texts.status}</th>
                    <th scope="col" class="number">
                        {texts.duration}
                    </th>
                    <th scope="col" class="number">
                        {texts.attempt}
                    </th>
                </tr>
            </thead>
            <tbody>{children()}</tbody>
        </table>
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
    let request = format!("{path}/webhook?event={event}#request");
    view! {
        <tr>
            <td class="time">
                <time>{attempt.started_at.to_second()}</time>
            </td>
            <td class="content">
                <b>{attempt.kind.as_str()}</b>
                {attempt
                    .next_at
                    .map(|next| {
                        view! {
                            <p class="hint">
                                {texts.next} " " <time>{next.to_second()}</time>
                            </p>
                        }
                    })}
                <details>
                    <summary>
                        <code>{event.clone()}</code>
                    </summary>
                    <p class="hint">{attempt.url}</p>
                    <p>
                        <a href=request>{texts.request}</a>
                    </p>
                    <WireText label=texts.headers name=named(texts.headers) text=headers />
                    <ResponseBody texts name=named(texts.response) response=attempt.response />
                    {app.map(|app| view! { <Resend texts app event /> })}
                </details>
            </td>
            <td>
                <span class=class>{result}</span>
            </td>
            <td class="number" data-label=texts.duration>
                {format!("{} ms", attempt.duration.as_millis())}
            </td>
            <td class="number" data-label=texts.attempt>
                {attempt.attempt}
            </td>
        </tr>
    }
    .into_any()
}

/// The class of the status, and its text.
fn result(texts: &WebhookTexts, response: &WebhookResponse) -> (&'static str, String) {
    match response {
        WebhookResponse::Received { status, .. } => {
            let arrived = (200..300).contains(status);
            let class = if arrived {
                "status done"
            } else {
                "status queued"
            };
            (class, status.to_string())
        }
        WebhookResponse::NotReceived(failure) => {
            ("status queued", texts.failure(*failure).to_owned())
        }
    }
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

#[component]
fn Resend(texts: &'static WebhookTexts, app: String, event: String) -> impl IntoView {
    view! {
        <form method="post" action=ResendEvent::url()>
            <input type="hidden" name="app" value=app />
            <input type="hidden" name="event" value=event />
            <button type="submit" class="button quiet">
                {texts.resend}
            </button>
        </form>
    }
}
