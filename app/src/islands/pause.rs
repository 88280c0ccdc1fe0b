//! Waiting.

use js_sys::Promise;
use leptos::prelude::window;
use leptos::wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Waits for so many milliseconds.
pub async fn pause(milliseconds: i32) -> Result<(), JsValue> {
    let passed = Promise::new(&mut |resolve, reject| {
        if let Err(error) =
            window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds)
        {
            drop(reject.call1(&JsValue::NULL, &error));
        }
    });
    JsFuture::from(passed).await.map(drop)
}
