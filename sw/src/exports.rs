//! The functions that `worker/worker.js` calls: they read and act through the browser's own API.

use js_sys::{JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{NotificationOptions, ServiceWorkerGlobalScope, Url};

use crate::destination::destination;
use crate::message::PushMessage;

/// Shows the notification that the data of a push describes; the promise is that of
/// `showNotification`.
///
/// An error when the data is no message of Hato (SPEC 2.4); the caller then shows its fallback.
/// `JSON.parse` of the browser is used, since a parser in the wasm would add to its size.
#[wasm_bindgen]
pub fn push(data: &str) -> Result<Promise, JsValue> {
    let data = JSON::parse(data)?;
    let mut message = PushMessage::read(|name| text(&data, name)).ok_or(JsValue::NULL)?;
    let worker = worker();
    let title = message
        .title
        .take()
        .unwrap_or_else(|| worker.location().host());
    worker
        .registration()
        .show_notification_with_options(&title, &options(&message)?)
}

/// The member of that name, if `object` is an object and the member a string.
fn text(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}

/// The options of `showNotification`. In its `data` the member `hato` marks the notification as ours
/// and keeps the url for the click: an empty one stands for the site's root.
fn options(message: &PushMessage) -> Result<NotificationOptions, JsValue> {
    let options = NotificationOptions::new();
    if let Some(body) = &message.body {
        options.set_body(body);
    }
    if let Some(icon) = &message.icon {
        options.set_icon(icon);
    }
    if let Some(badge) = &message.badge {
        options.set_badge(badge);
    }
    let data = Object::new();
    let url = message.url.as_deref().unwrap_or_default();
    Reflect::set(&data, &"hato".into(), &url.into())?;
    options.set_data(&data);
    Ok(options)
}

/// Where a click on a notification with this url leads; an empty one stands for the site's root
/// (CONTRACT 10).
#[wasm_bindgen]
pub fn click_destination(url: &str) -> String {
    let origin = worker().location().origin();
    let requested = Url::new_with_base(url, &origin).ok().map(|url| url.href());
    destination(requested, &origin)
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = self)]
    static WORKER: ServiceWorkerGlobalScope;
}

fn worker() -> ServiceWorkerGlobalScope {
    WORKER.with(Clone::clone)
}
