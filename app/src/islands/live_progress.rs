//! A send under way: the server says how far it is whenever that changes.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, HtmlDivElement, MessageEvent};

use super::live::longer;
use super::page::{Page, has};
use super::pause::{VISIBILITY, rest, tell, until};
use super::trouble::{Trouble, TroubleNote, TroubleTexts};

/// Found while the send is not finished.
const RUNNING: &str = "[data-running]";

/// Milliseconds until a connection that has ended is made anew.
const FIRST_WAIT: i32 = 1_000;

/// The connection brings nothing more: it was lost or refused, or the send is finished.
const ENDED: &str = "hato:ended";

/// Replaces its children with what the events at `events` bring, until the send is finished. While there are none the
/// page itself is asked, less and less often.
#[island]
pub fn LiveProgress(
    /// Where the events come from: each is the new content.
    events: String,
    /// The page with this content.
    page: String,
    /// Say what stands in the way.
    texts: TroubleTexts,
    /// The content, as it was when the page was made.
    children: Children,
) -> impl IntoView {
    let shown = NodeRef::<leptos::html::Div>::new();
    let trouble = RwSignal::new(None);
    Effect::new(move |_| {
        if let Some(shown) = shown.get() {
            let (events, page) = (events.clone(), Page::at(page.clone()));
            spawn_local(async move { drop(follow(&events, page, shown, trouble).await) });
        }
    });
    view! {
        <TroubleNote trouble texts />
        <div class="live" node_ref=shown>
            {children()}
        </div>
    }
}

async fn follow(
    events: &str,
    mut page: Page,
    shown: HtmlDivElement,
    trouble: RwSignal<Option<Trouble>>,
) -> Result<(), JsValue> {
    let mut wait = FIRST_WAIT;
    while has(&shown, RUNNING) {
        if !document().hidden() && listen(events, &shown, trouble).await? {
            wait = FIRST_WAIT;
        }
        if has(&shown, RUNNING) {
            rest(wait, &[]).await?;
            wait = longer(wait);
        }
        trouble.set(Trouble::of(page.refresh().await?));
        if trouble.get_untracked() == Some(Trouble::Over) {
            return Ok(());
        }
    }
    Ok(())
}

/// Shows events until there are no more or nobody sees them: a hidden page takes no connection from others. Whether there
/// was one.
async fn listen(
    path: &str,
    shown: &HtmlDivElement,
    trouble: RwSignal<Option<Trouble>>,
) -> Result<bool, JsValue> {
    let heard = Rc::new(Cell::new(false));
    let (content, any) = (shown.clone(), Rc::clone(&heard));
    let show = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        any.set(true);
        trouble.set(None);
        content.set_inner_html(&event.data().as_string().unwrap_or_default());
        if !has(&content, RUNNING) {
            tell(ENDED);
        }
    });
    let end = Closure::<dyn FnMut()>::new(|| tell(ENDED));
    let source = EventSource::new(path)?;
    source.set_onmessage(Some(show.as_ref().unchecked_ref()));
    source.set_onerror(Some(end.as_ref().unchecked_ref()));
    let ended = until(&[ENDED, VISIBILITY]).await;
    source.set_onmessage(None);
    source.set_onerror(None);
    source.close();
    ended.map(|()| heard.get())
}
