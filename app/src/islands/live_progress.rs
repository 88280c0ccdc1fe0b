//! A send under way: the server says how far it is whenever that changes.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::closure::Closure;
use web_sys::{EventSource, HtmlDivElement, MessageEvent};

use super::page::has;

/// Found while the send is not finished.
const RUNNING: &str = "[data-running]";

/// Replaces its children with what the events at `path` bring, until the send is finished.
#[island]
pub fn LiveProgress(
    /// Where the events come from: each is the new content.
    path: String,
    /// The content, as it was when the page was made.
    children: Children,
) -> impl IntoView {
    let shown = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(shown) = shown.get().filter(|shown| has(shown, RUNNING)) {
            listen(&path, shown);
        }
    });
    view! {
        <div class="live" node_ref=shown>
            {children()}
        </div>
    }
}

/// The browser comes back by itself when the connection ends, unless the server refuses.
fn listen(path: &str, shown: HtmlDivElement) {
    let Ok(source) = EventSource::new(path) else {
        return;
    };
    let events = source.clone();
    let show = move |event: MessageEvent| {
        shown.set_inner_html(&event.data().as_string().unwrap_or_default());
        if !has(&shown, RUNNING) {
            events.close();
        }
    };
    let show = Closure::<dyn FnMut(MessageEvent)>::new(show);
    source.set_onmessage(Some(show.as_ref().unchecked_ref()));
    show.forget();
}
