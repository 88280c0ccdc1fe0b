//! A send under way: the server says how far it is whenever that changes.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{EventSource, HtmlDivElement, MessageEvent};

use super::live_error::{LiveError, LiveErrorNote};
use super::live_page::{LivePage, has};
use super::live_refresh::backoff;
use super::sleep::{VISIBILITY_CHANGE, emit, sleep_or_event, wait_for_event};
use crate::live_error_texts::LiveErrorTexts;

/// Found while the send is not finished.
const RUNNING: &str = "[data-running]";

/// Milliseconds until a connection that has ended is made anew.
const INITIAL_DELAY: i32 = 1_000;

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
    /// Say why it is not kept up to date.
    texts: LiveErrorTexts,
    /// The content, as it was when the page was made.
    children: Children,
) -> impl IntoView {
    let shown = NodeRef::<leptos::html::Div>::new();
    let error = RwSignal::new(None);
    Effect::new(move |_| {
        if let Some(shown) = shown.get() {
            let (events, page) = (events.clone(), LivePage::new(page.clone()));
            spawn_local(async move { drop(follow(&events, page, shown, error).await) });
        }
    });
    view! {
        <LiveErrorNote error texts />
        <div class="live" node_ref=shown>
            {children()}
        </div>
    }
}

async fn follow(
    events: &str,
    mut page: LivePage,
    shown: HtmlDivElement,
    error: RwSignal<Option<LiveError>>,
) -> Result<(), JsValue> {
    let mut delay = INITIAL_DELAY;
    while has(&shown, RUNNING) {
        if !document().hidden() && listen(events, &shown, error).await? {
            delay = INITIAL_DELAY;
        }
        if has(&shown, RUNNING) {
            sleep_or_event(delay, &[]).await?;
            delay = backoff(delay);
        }
        error.set(LiveError::from_refresh(page.refresh().await?));
        if error.get_untracked() == Some(LiveError::Gone) {
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
    error: RwSignal<Option<LiveError>>,
) -> Result<bool, JsValue> {
    let received = Rc::new(Cell::new(false));
    let (content, any) = (shown.clone(), Rc::clone(&received));
    let show = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        any.set(true);
        error.set(None);
        content.set_inner_html(&event.data().as_string().unwrap_or_default());
        if !has(&content, RUNNING) {
            emit(ENDED);
        }
    });
    let end = Closure::<dyn FnMut()>::new(|| emit(ENDED));
    let source = EventSource::new(path)?;
    source.set_onmessage(Some(show.as_ref().unchecked_ref()));
    source.set_onerror(Some(end.as_ref().unchecked_ref()));
    let ended = wait_for_event(&[ENDED, VISIBILITY_CHANGE]).await;
    source.set_onmessage(None);
    source.set_onerror(None);
    source.close();
    ended.map(|()| received.get())
}
