//! Waiting.

use js_sys::{Function, Promise};
use leptos::prelude::{document, window};
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Event;

/// The document was shown or hidden.
pub const VISIBILITY: &str = "visibilitychange";

/// Waits for so many milliseconds.
pub async fn pause(milliseconds: i32) -> Result<(), JsValue> {
    wake(Some(milliseconds), &[]).await
}

/// Waits for so many milliseconds or one of these events of the document, and longer while nobody sees it.
pub async fn rest(milliseconds: i32, events: &[&str]) -> Result<(), JsValue> {
    let events = [events, &[VISIBILITY]].concat();
    wake(Some(milliseconds), &events).await?;
    while document().hidden() {
        until(&[VISIBILITY]).await?;
    }
    Ok(())
}

/// Waits for one of these events of the document.
pub async fn until(events: &[&str]) -> Result<(), JsValue> {
    wake(None, events).await
}

/// Wakes those who wait for this event.
pub fn tell(event: &str) {
    if let Ok(event) = Event::new(event) {
        drop(document().dispatch_event(&event));
    }
}

async fn wake(milliseconds: Option<i32>, events: &[&str]) -> Result<(), JsValue> {
    let mut listener = JsValue::UNDEFINED;
    let woken = Promise::new(&mut |resolve, reject| {
        if let Err(error) = set(&resolve, milliseconds, events) {
            drop(reject.call1(&JsValue::NULL, &error));
        }
        listener = resolve.into();
    });
    let woken = JsFuture::from(woken).await.map(drop);
    for event in events {
        let listener = listener.unchecked_ref();
        document().remove_event_listener_with_callback(event, listener)?;
    }
    woken
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
