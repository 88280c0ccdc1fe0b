//! A notification that is being written, shown by the very browser in which it is.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{FormData, HtmlFormElement, UrlSearchParams};

use super::browser_push::{BrowserPush, PushState};
use super::{ActionStatus, PushTexts, ended, load_state, status_text};

/// Sends what the form around it holds to this browser and to nobody else, after making it a subscriber if it is none.
#[island]
pub fn SendToMe(
    /// The id of the app, `app_…`.
    app: String,
    /// The app's VAPID public key, in base64url.
    public_key: String,
    /// What stands on the button.
    label: String,
    /// The island's texts, in the language of the page.
    texts: PushTexts,
) -> impl IntoView {
    let push = StoredValue::new(BrowserPush { app, public_key });
    let state = RwSignal::new(None);
    let status = RwSignal::new(ActionStatus::Idle);
    let button = NodeRef::<leptos::html::Button>::new();
    let is_awake = RwSignal::new(false);
    Effect::new(move |_| {
        is_awake.set(true);
        spawn_local(load_state(push.get_value(), state));
    });
    let send = move |_| {
        let form = button
            .get_untracked()
            .and_then(|button| draft_around(&button));
        let Some(draft) = form.filter(|_| status.get_untracked() != ActionStatus::Working) else {
            return;
        };
        status.set(ActionStatus::Working);
        let is_subscribed = state.get_untracked() == Some(PushState::Subscribed);
        let push = push.get_value();
        spawn_local(async move {
            let sent = push.send_draft(draft, is_subscribed).await;
            load_state(push, state).await;
            status.set(ended(sent.map(|()| ActionStatus::Sent), state, status));
        });
    };
    let busy = move || (status.get() == ActionStatus::Working).then_some("true");
    view! {
        <button
            type="button"
            class="button quiet"
            node_ref=button
            hidden=move || !is_awake.get()
            aria-disabled=busy
            on:click=send
        >
            {label}
        </button>
        <p class="send-to-me" role="status">
            {move || {
                let is_idle = status.get() == ActionStatus::Idle;
                (!is_idle).then(|| status_text(&texts, state.get(), status.get()))
            }}
        </p>
    }
}

/// The form around the button, as it would be posted.
fn draft_around(button: &JsValue) -> Option<String> {
    let button: &web_sys::Element = button.unchecked_ref();
    let form = button.closest("form").ok()??;
    let form = FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok()?;
    let fields = UrlSearchParams::new_with_str_sequence_sequence(&form).ok()?;
    Some(fields.to_string().into())
}
