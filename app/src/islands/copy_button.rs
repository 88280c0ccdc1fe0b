//! A button that copies what an element of the page shows.

use js_sys::Reflect;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

/// What became of the last click.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopyOutcome {
    Copied,
    /// The browser lets only its user copy, as on pages that are not served over https.
    Selected,
}

/// Copies the text of the element with the id `target`, or selects it where copying is not allowed. Without scripts it keeps
/// its place and is not seen.
#[island]
pub fn CopyButton(
    /// The id of the element.
    target: String,
    /// What the button says.
    label: String,
    /// What it says once it has copied.
    done: String,
    /// What it says once it has selected.
    selected: String,
) -> impl IntoView {
    let (ready, outcome) = (RwSignal::new(false), RwSignal::new(None));
    Effect::new(move |_| ready.set(true));
    let text = move || match outcome.get() {
        None => label.clone(),
        Some(CopyOutcome::Copied) => done.clone(),
        Some(CopyOutcome::Selected) => selected.clone(),
    };
    view! {
        <button
            type="button"
            class="copy"
            class:copied=move || outcome.get() == Some(CopyOutcome::Copied)
            hidden=move || !ready.get()
            on:click=move |_| {
                if let Some(element) = document().get_element_by_id(&target) {
                    spawn_local(async move { outcome.set(copy(&element).await) });
                }
            }
        >
            <span aria-live="polite">{text}</span>
        </button>
    }
}

async fn copy(element: &Element) -> Option<CopyOutcome> {
    if write(element).await {
        return Some(CopyOutcome::Copied);
    }
    let selection = window().get_selection().ok()??;
    let selected = selection.select_all_children(element);
    selected.is_ok().then_some(CopyOutcome::Selected)
}

async fn write(element: &Element) -> bool {
    let navigator = window().navigator();
    let clipboard = Reflect::get(&navigator, &"clipboard".into());
    if !clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    let text = element.text_content().unwrap_or_default();
    let written = navigator.clipboard().write_text(&text);
    JsFuture::from(written).await.is_ok()
}
