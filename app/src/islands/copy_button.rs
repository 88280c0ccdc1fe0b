//! A button that copies what an element of the page shows.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

/// Copies the text of the element with the id `target`. Without scripts it keeps its place and is not seen.
#[island]
pub fn CopyButton(
    /// The id of the element.
    target: String,
    /// What the button says.
    label: String,
    /// What it says once it has copied.
    done: String,
) -> impl IntoView {
    let (ready, copied) = (RwSignal::new(false), RwSignal::new(false));
    Effect::new(move |_| ready.set(true));
    let text = move || {
        if copied.get() {
            done.clone()
        } else {
            label.clone()
        }
    };
    view! {
        <button
            type="button"
            class="copy"
            class:copied=copied
            hidden=move || !ready.get()
            on:click=move |_| copy(&target, copied)
        >
            <span aria-live="polite">{text}</span>
        </button>
    }
}

fn copy(target: &str, copied: RwSignal<bool>) {
    let text = document()
        .get_element_by_id(target)
        .and_then(|element| element.text_content())
        .unwrap_or_default();
    let written = window().navigator().clipboard().write_text(&text);
    spawn_local(async move { copied.set(JsFuture::from(written).await.is_ok()) });
}
