//! The history while sends are under way: it shows how far they are without being asked.

use js_sys::Promise;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomParser, Element, HtmlDivElement, Response, SupportedType};

/// What is replaced, on this page and in the answer.
const TABLE: &str = "table.sends";

/// Found while a send is not finished.
const RUNNING: &str = ".status.queued, .status.sending";

/// Milliseconds before the first look, and the most between two.
const FIRST_WAIT: i32 = 1_000;
const LONGEST_WAIT: i32 = 15_000;

/// Keeps the table among its children up to date with that of the page at `path`, until every send is finished.
#[island]
pub fn LiveHistory(
    /// The page with the same table.
    path: String,
    /// The table, as it was when the page was made.
    children: Children,
) -> impl IntoView {
    let shown = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        if let Some(shown) = shown.get() {
            spawn_local(watch(path.clone(), shown));
        }
    });
    view! {
        <div class="live" node_ref=shown>
            {children()}
        </div>
    }
}

async fn watch(path: String, shown: HtmlDivElement) {
    let mut wait = FIRST_WAIT;
    while shown.is_connected()
        && shown
            .query_selector(RUNNING)
            .is_ok_and(|found| found.is_some())
    {
        if pause(wait).await.is_err() {
            return;
        }
        wait = (wait * 3 / 2).min(LONGEST_WAIT);
        if !document().hidden() && refresh(&path, &shown).await.is_err() {
            return;
        }
    }
}

async fn pause(milliseconds: i32) -> Result<JsValue, JsValue> {
    let passed = Promise::new(&mut |resolve, reject| {
        let window = window();
        if let Err(error) =
            window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds)
        {
            drop(reject.call1(&JsValue::NULL, &error));
        }
    });
    JsFuture::from(passed).await
}

/// Replaces the table; an answer without one (the session is over) is an error. A network that fails for once is not.
async fn refresh(path: &str, shown: &Element) -> Result<(), JsValue> {
    let Ok(answer) = JsFuture::from(window().fetch_with_str(path)).await else {
        return Ok(());
    };
    let html = JsFuture::from(answer.unchecked_into::<Response>().text()?).await?;
    let html = html.as_string().unwrap_or_default();
    let page = DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?;
    let fresh = page.query_selector(TABLE)?.ok_or(JsValue::NULL)?;
    match shown.query_selector(TABLE)? {
        Some(table) => table.replace_with_with_node_1(&fresh),
        None => Ok(()),
    }
}
