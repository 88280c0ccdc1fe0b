//! Parts of a page that show how things are without being asked.

use std::cell::Cell;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsValue;

use super::page::{Page, Seen, has};
use super::pause::{rest, tell};
use super::trouble::{Trouble, TroubleNote, TroubleTexts};

/// Milliseconds before the first look, and the most between two.
const FIRST_WAIT: i32 = 1_000;
const LONGEST_WAIT: i32 = 15_000;

/// Somebody wants the page to look at once.
const LOOK: &str = "hato:look";

thread_local! {
    /// Remembers that while a look is under way, which may have begun too early.
    static WANTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes the page look at once: something was just done that it shows.
pub fn look_at_once() {
    WANTED.set(true);
    tell(LOOK);
}

/// The wait after one: rarer looks, the longer nothing happens.
pub fn longer(wait: i32) -> i32 {
    (wait * 3 / 2).min(LONGEST_WAIT)
}

/// Keeps the parts of this page that are marked `data-live` up to date with those of the page at `path`, as long as
/// `running` is found among them.
#[island]
pub fn Live(
    /// The page with the same parts.
    path: String,
    /// A selector for what is found while something may change.
    running: String,
    /// Say what stands in the way.
    texts: TroubleTexts,
) -> impl IntoView {
    let trouble = RwSignal::new(None);
    Effect::new(move |_| {
        let (path, running) = (path.clone(), running.clone());
        spawn_local(async move { drop(watch(path, &running, trouble).await) });
    });
    view! { <TroubleNote trouble texts /> }
}

async fn watch(
    path: String,
    running: &str,
    trouble: RwSignal<Option<Trouble>>,
) -> Result<(), JsValue> {
    let mut page = Page::at(path);
    let mut wait = FIRST_WAIT;
    while document().body().is_some_and(|body| has(&body, running)) {
        if !WANTED.take() {
            rest(wait, &[LOOK]).await?;
            WANTED.set(false);
        }
        let seen = page.refresh().await?;
        trouble.set(Trouble::of(seen));
        wait = match seen {
            Seen::Changed => FIRST_WAIT,
            Seen::Same | Seen::Nothing => longer(wait),
            Seen::Over => return Ok(()),
        };
    }
    Ok(())
}
