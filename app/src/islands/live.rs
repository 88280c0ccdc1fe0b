//! A part of a page while something is under way: it shows how far that is without being asked.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomParser, Element, HtmlDivElement, Response, SupportedType};

use super::pause::pause;

/// Milliseconds before the first look, and the most between two.
const FIRST_WAIT: i32 = 1_000;
const LONGEST_WAIT: i32 = 15_000;

/// Keeps `part` among its children up to date with that of the page at `path`, as long as `running` is found in it.
#[island]
pub fn Live(
    /// The page with the same part.
    path: String,
    /// A selector for what is replaced, on this page and in the answer.
    part: String,
    /// A selector for what is found in it while something is under way.
    running: String,
    /// The part, as it was when the page was made.
    children: Children,
) -> impl IntoView {
    let shown = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(shown) = shown.get() {
            spawn_local(watch(path.clone(), part.clone(), running.clone(), shown));
        }
    });
    view! {
        <div class="live" node_ref=shown>
            {children()}
        </div>
    }
}

async fn watch(path: String, part: String, running: String, shown: HtmlDivElement) {
    let mut wait = FIRST_WAIT;
    while shown.is_connected() && has(&shown, &running) {
        if pause(wait).await.is_err() {
            return;
        }
        wait = (wait * 3 / 2).min(LONGEST_WAIT);
        if !document().hidden() && refresh(&path, &part, &shown).await.is_err() {
            return;
        }
    }
}

/// Whether the element has such a one within.
pub fn has(element: &Element, selector: &str) -> bool {
    let found = element.query_selector(selector);
    found.is_ok_and(|found| found.is_some())
}

/// Replaces the part; an answer without one (the session is over, or the part is) is an error. A network that fails for
/// once is not.
async fn refresh(path: &str, part: &str, shown: &Element) -> Result<(), JsValue> {
    let Ok(answer) = JsFuture::from(window().fetch_with_str(path)).await else {
        return Ok(());
    };
    let html = JsFuture::from(answer.unchecked_into::<Response>().text()?).await?;
    let html = html.as_string().unwrap_or_default();
    let page = DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?;
    let fresh = page.query_selector(part)?.ok_or(JsValue::NULL)?;
    match shown.query_selector(part)? {
        Some(stale) => stale.replace_with_with_node_1(&fresh),
        None => Ok(()),
    }
}
