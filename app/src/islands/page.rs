//! A page as it is now, from the server: what of it is on this page too is brought up to date.

use std::collections::HashMap;

use leptos::prelude::{document, window};
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, DomParser, Element, Response, SupportedType};

/// Marks a part that is kept up to date; it has an id.
const PART: &str = "[data-live]";

/// What a look at a page has brought.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Some part has changed.
    Changed,
    /// Everything is as it was.
    Same,
    /// The server could not be asked, or has trouble. It may be back later.
    Nothing,
    /// There is no such page any more, or not for who asks.
    Over,
}

/// A page with parts that this one has too.
pub struct Page {
    path: String,
    /// The parts as the server last told them, by id: a user may have opened or closed something in them since.
    told: HashMap<String, String>,
}

/// Whether the element has such a one within.
pub fn has(element: &Element, selector: &str) -> bool {
    let found = element.query_selector(selector);
    found.is_ok_and(|found| found.is_some())
}

impl Page {
    /// The page at this path.
    pub fn at(path: String) -> Self {
        let told = HashMap::new();
        Self { path, told }
    }

    /// Asks for the page and replaces the parts that have changed. One that is no part of it any more is removed.
    pub async fn refresh(&mut self) -> Result<Seen, JsValue> {
        let Ok(answer) = JsFuture::from(window().fetch_with_str(&self.path)).await else {
            return Ok(Seen::Nothing);
        };
        let answer: Response = answer.unchecked_into();
        if answer.redirected() || answer.status() == 404 {
            return Ok(Seen::Over);
        }
        if !answer.ok() {
            return Ok(Seen::Nothing);
        }
        let Ok(html) = JsFuture::from(answer.text()?).await else {
            return Ok(Seen::Nothing);
        };
        let html = html.as_string().unwrap_or_default();
        let fresh = DomParser::new()?.parse_from_string(&html, SupportedType::TextHtml)?;
        self.show(&fresh)
    }

    fn show(&mut self, fresh: &Document) -> Result<Seen, JsValue> {
        let parts = document().query_selector_all(PART)?;
        let mut seen = Seen::Same;
        for part in (0..parts.length()).filter_map(|number| parts.item(number)) {
            let stale: Element = part.unchecked_into();
            match fresh.get_element_by_id(&stale.id()) {
                Some(fresh) if !self.replace(&stale, &fresh)? => {}
                Some(_) => seen = Seen::Changed,
                None => {
                    stale.remove();
                    seen = Seen::Changed;
                }
            }
        }
        Ok(seen)
    }

    /// Replaces a part if the server tells another one, but not under the hands of somebody at the keyboard.
    fn replace(&mut self, stale: &Element, fresh: &Element) -> Result<bool, JsValue> {
        let html = fresh.outer_html();
        let told = self.told.get(&stale.id()).cloned();
        if told.unwrap_or_else(|| stale.outer_html()) == html || has(stale, ":focus-visible") {
            return Ok(false);
        }
        self.told.insert(stale.id(), html);
        if has(stale, "details[open]")
            && let Some(details) = fresh.query_selector("details")?
        {
            details.set_attribute("open", "")?;
        }
        stale.replace_with_with_node_1(fresh)?;
        Ok(true)
    }
}
