//! Waiting for a time or an event of the document, as futures, and longer while nobody sees the page.

use js_sys::{Array, Function, Promise};
use leptos::prelude::{document, window};
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::Event;

/// The document was shown or hidden.
pub const VISIBILITY_CHANGE: &str = "visibilitychange";

/// Waits for so many milliseconds.
pub async fn sleep(milliseconds: i32) -> Result<(), JsValue> {
    wait(Some(milliseconds), &[]).await
}

/// What the promise resolves with, if it is settled within so many milliseconds.
pub async fn within(milliseconds: i32, promise: &Promise) -> Result<Option<JsValue>, JsValue> {
    let limit = async move { sleep(milliseconds).await.map(|()| JsValue::UNDEFINED) };
    let first = Promise::race(&Array::of2(promise, &future_to_promise(limit)));
    let value = JsFuture::from(first).await?;
    Ok(Some(value).filter(|value| !value.is_undefined()))
}

/// Waits for so many milliseconds or one of these events of the document, and longer while nobody sees it.
pub async fn sleep_or_event(milliseconds: i32, events: &[&str]) -> Result<(), JsValue> {
    let events = [events, &[VISIBILITY_CHANGE]].concat();
    wait(Some(milliseconds), &events).await?;
    while document().hidden() {
        wait_for_event(&[VISIBILITY_CHANGE]).await?;
    }
    Ok(())
}

/// Waits for one of these events of the document.
pub async fn wait_for_event(events: &[&str]) -> Result<(), JsValue> {
    wait(None, events).await
}

/// Dispatches this event, for those who wait for it.
pub fn emit(event: &str) {
    if let Ok(event) = Event::new(event) {
        drop(document().dispatch_event(&event));
    }
}

async fn wait(milliseconds: Option<i32>, events: &[&str]) -> Result<(), JsValue> {
    let mut listener = JsValue::UNDEFINED;
    let fired = Promise::new(&mut |resolve, reject| {
        if let Err(error) = set(&resolve, milliseconds, events) {
            drop(reject.call1(&JsValue::NULL, &error));
        }
        listener = resolve.into();
    });
    let fired = JsFuture::from(fired).await.map(drop);
    for event in events {
        let listener = listener.unchecked_ref();
        document().remove_event_listener_with_callback(event, listener)?;
    }
    fired
}

fn set(resolve: &Function, milliseconds: Option<i32>, events: &[&str]) -> Result<(), JsValue> {
    if let Some(span) = milliseconds {
        window().set_timeout_with_callback_and_timeout_and_arguments_0(resolve, span)?;
    }
    for event in events {
        document().add_event_listener_with_callback(event, resolve)?;
    }
    Ok(())
}
