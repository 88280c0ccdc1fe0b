//! Parts of a page that show how things are without being asked.

use std::cell::Cell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsValue;

use super::live_error::{LiveError, LiveErrorNote};
use super::live_page::{LivePage, RefreshOutcome, has};
use super::sleep::{emit, sleep_or_event};
use crate::live_error_texts::LiveErrorTexts;

/// Milliseconds before the first refresh, and the most between two.
const INITIAL_DELAY: i32 = 1_000;
const MAX_DELAY: i32 = 15_000;

/// Somebody wants the page to be refreshed at once.
const REFRESH: &str = "hato:refresh";

thread_local! {
    /// Remembers that while a refresh is under way, which may have begun too early.
    static REFRESH_REQUESTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes the page refresh at once: something was just done that it shows.
pub fn refresh_now() {
    REFRESH_REQUESTED.set(true);
    emit(REFRESH);
}

/// The delay after this one: rarer refreshes, the longer nothing happens.
pub fn backoff(delay: i32) -> i32 {
    (delay * 3 / 2).min(MAX_DELAY)
}

/// Keeps the parts of this page that are marked `data-live` up to date with those of the page at `path`, as long as
/// `running` is found among them.
#[island]
pub fn LiveRefresh(
    /// The page with the same parts.
    path: String,
    /// A selector for what is found while something may change.
    running: String,
    /// Say why it is not kept up to date.
    texts: LiveErrorTexts,
) -> impl IntoView {
    let error = RwSignal::new(None);
    Effect::new(move |_| {
        let (path, running) = (path.clone(), running.clone());
        spawn_local(async move { drop(watch(path, &running, error).await) });
    });
    view! { <LiveErrorNote error texts /> }
}

async fn watch(
    path: String,
    running: &str,
    error: RwSignal<Option<LiveError>>,
) -> Result<(), JsValue> {
    let mut page = LivePage::new(path);
    let mut delay = INITIAL_DELAY;
    while document().body().is_some_and(|body| has(&body, running)) {
        if !REFRESH_REQUESTED.take() {
            sleep_or_event(delay, &[REFRESH]).await?;
            REFRESH_REQUESTED.set(false);
        }
        let outcome = page.refresh().await?;
        error.set(LiveError::from_refresh(outcome));
        delay = match outcome {
            RefreshOutcome::Changed => INITIAL_DELAY,
            RefreshOutcome::Unchanged | RefreshOutcome::Unavailable => backoff(delay),
            RefreshOutcome::Gone => return Ok(()),
        };
    }
    Ok(())
}
