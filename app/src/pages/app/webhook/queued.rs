//! What became of the event that a form has just queued.

use hato_service::ports::{AttemptRecord, WebhookResponse};
use leptos::prelude::*;

use super::attempts::{has_arrived, result};
use crate::components::{Note, Tone};
use crate::i18n::WebhookTexts;
use crate::islands::LiveRefresh;
use crate::live_error_texts::LiveErrorTexts;

/// That the event waits, until the first attempt has been made, and then what came of that.
#[component]
pub fn QueuedNote(
    texts: &'static WebhookTexts,
    attempt: Option<AttemptRecord>,
    /// The page, as it is asked for again.
    path: String,
    live: LiveErrorTexts,
) -> impl IntoView {
    let waits = attempt.is_none();
    let note = match attempt {
        None => view! {
            <Note tone=Tone::Success text=texts.queued>
                <noscript>
                    <p>{texts.reload}</p>
                </noscript>
            </Note>
        }
        .into_any(),
        Some(attempt) => outcome(texts, &attempt.response),
    };
    view! {
        {waits
            .then(|| {
                view! { <LiveRefresh path running="#queued[data-waiting]".to_owned() texts=live /> }
            })}
        <div id="queued" data-live data-waiting=waits.then_some("")>
            {note}
        </div>
    }
    .into_any()
}

fn outcome(texts: &'static WebhookTexts, response: &WebhookResponse) -> AnyView {
    let (_, answer) = result(texts, response);
    if has_arrived(response) {
        view! { <Note tone=Tone::Success text=(texts.arrived)(&answer) /> }.into_any()
    } else {
        view! { <Note tone=Tone::Warning text=(texts.not_arrived)(&answer) /> }.into_any()
    }
}
