//! How many a notification would go to, soon after somebody stops typing whom it is for.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlDivElement, HtmlFormElement};

use super::sleep::sleep;
use crate::server_fns::count_recipients;

/// Milliseconds without a key after which somebody has stopped typing.
const TYPING_DELAY: i32 = 400;

/// Says below its fields, which are those of the form around it that tell whom it is for, how many that are.
#[island]
pub fn RecipientCount(
    /// The id of the app, `app_…`.
    app: String,
    /// What is said before anybody types.
    initial: String,
    /// What is said when the server does not answer.
    failed: String,
    /// The fields that say whom it is for.
    children: Children,
) -> impl IntoView {
    let fields = NodeRef::<leptos::html::Div>::new();
    let sentence = RwSignal::new(initial);
    let (app, failed) = (StoredValue::new(app), StoredValue::new(failed));
    // The number of the latest question: whoever has another number is late.
    let latest = StoredValue::new(0_u32);
    let ask = move |pause: i32| {
        latest.update_value(|number| *number = number.wrapping_add(1));
        let number = latest.get_value();
        let is_latest = move || latest.try_get_value() == Some(number);
        spawn_local(async move {
            if sleep(pause).await.is_err() || !is_latest() {
                return;
            }
            let Some([users, tags]) = fields.get_untracked().and_then(|it| typed(&it)) else {
                return;
            };
            let counted = count_recipients(app.get_value(), users, tags).await;
            if is_latest() {
                sentence.set(counted.unwrap_or_else(|_| failed.get_value()));
            }
        });
    };
    Effect::new(move |_| {
        let typed = fields.get().and_then(|it| typed(&it));
        if typed.is_some_and(|typed| typed.iter().any(|text| !text.is_empty())) {
            ask(0);
        }
    });
    view! {
        <div class="fields" node_ref=fields on:input=move |_| ask(TYPING_DELAY)>
            {children()}
        </div>
        <p class="recipient-count" role="status">
            {sentence}
        </p>
    }
}

/// The users and the tags of the form around the fields.
fn typed(fields: &HtmlDivElement) -> Option<[String; 2]> {
    let form = fields.closest("form").ok()??;
    let form = FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok()?;
    Some(["users", "tags"].map(|name| form.get(name).as_string().unwrap_or_default()))
}
