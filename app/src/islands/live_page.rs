//! Asks the server for a page again and replaces those parts of the open page that have changed since.

use std::collections::HashMap;

use leptos::prelude::{document, window};
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, DomParser, Element, Response, SupportedType};

/// Marks a part that is kept up to date; it has an id.
const PART: &str = "[data-live]";

/// What a refresh has brought.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RefreshOutcome {
    /// Some part of the page has changed.
    Changed,
    /// Everything is as it was.
    Unchanged,
    /// The server could not be asked, or has failed. It may be back later.
    Unavailable,
    /// There is no such page any more, or not for who asks.
    Gone,
}

/// The page that is asked for again: its parts replace those with the same id in the open page.
pub struct LivePage {
    path: String,
    /// The parts as the server last sent them, by id: a user may have opened or closed something in them since.
    last_html: HashMap<String, String>,
}

/// Whether something that the selector matches is within the element.
pub fn has(element: &Element, selector: &str) -> bool {
    let found = element.query_selector(selector);
    found.is_ok_and(|found| found.is_some())
}

/// The part's HTML with its times in UTC, as the server sent them (`app/scripts/times.js`).
fn as_sent(part: &Element) -> Result<String, JsValue> {
    let part: Element = part.clone_node_with_deep(true)?.unchecked_into();
    let times = part.query_selector_all("time[title]")?;
    for time in (0..times.length()).filter_map(|number| times.item(number)) {
        let time: &Element = time.unchecked_ref();
        time.set_text_content(time.get_attribute("title").as_deref());
    }
    Ok(part.outer_html())
}

impl LivePage {
    /// The page at this path.
    pub fn new(path: String) -> Self {
        let last_html = HashMap::new();
        Self { path, last_html }
    }

    /// Asks for the page and replaces the parts that have changed. One that is no part of it any more is removed.
    pub async fn refresh(&mut self) -> Result<RefreshOutcome, JsValue> {
        let Ok(response) = JsFuture::from(window().fetch_with_str(&self.path)).await else {
            return Ok(RefreshOutcome::Unavailable);
        };
        let response: Response = response.unchecked_into();
        if response.redirected() || response.status() == 404 {
            return Ok(RefreshOutcome::Gone);
        }
        if !response.ok() {
            return Ok(RefreshOutcome::Unavailable);
        }
        let Ok(html) = JsFuture::from(response.text()?).await else {
            return Ok(RefreshOutcome::Unavailable);
        };
        let html = html.as_string().unwrap_or_default();
        let fresh = DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?;
        self.show(&fresh)
    }

    fn show(&mut self, fresh: &Document) -> Result<RefreshOutcome, JsValue> {
        let parts = document().query_selector_all(PART)?;
        let mut outcome = RefreshOutcome::Unchanged;
        for part in (0..parts.length()).filter_map(|number| parts.item(number)) {
            let stale: Element = part.unchecked_into();
            match fresh.get_element_by_id(&stale.id()) {
                Some(fresh) if !self.replace(&stale, &fresh)? => {}
                Some(_) => outcome = RefreshOutcome::Changed,
                None => {
                    stale.remove();
                    outcome = RefreshOutcome::Changed;
                }
            }
        }
        Ok(outcome)
    }

    /// Replaces a part if the server sends another one, but not under the hands of somebody at the keyboard.
    fn replace(&mut self, stale: &Element, fresh: &Element) -> Result<bool, JsValue> {
        let html = fresh.outer_html();
        let last_html = self.last_html.get(&stale.id()).cloned();
        let sent_html = || as_sent(stale);
        if last_html.map_or_else(sent_html, Ok)? == html || has(stale, ":focus-visible") {
            return Ok(false);
        }
        self.last_html.insert(stale.id(), html);
        if has(stale, "details[open]")
            && let Some(details) = fresh.query_selector("details")?
        {
            details.set_attribute("open", "")?;
        }
        stale.replace_with_with_node_1(fresh)?;
        Ok(true)
    }
}
