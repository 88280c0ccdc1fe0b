//! The two events of a service worker that are about notifications.

use js_sys::{JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{NotificationOptions, ServiceWorkerGlobalScope, Url, WindowClient};

use crate::destination::{already_open, destination};
use crate::message::Message;

/// Shows the notification that the data of a push asks for.
///
/// An error when the data is no message of Hato (SPEC 2.4): the shell shows its own then.
#[wasm_bindgen]
pub fn push(data: &str) -> Result<Promise, JsValue> {
    let data = JSON::parse(data)?;
    let mut message = Message::read(|name| text(&data, name)).ok_or(JsValue::NULL)?;
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

/// The data's member `hato` marks the notification as ours and keeps the url for the click.
fn options(message: &Message) -> Result<NotificationOptions, JsValue> {
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

/// Focuses the one of `windows` that shows the notification's url, or opens a new one; an empty
/// url stands for the site's root (CONTRACT 10).
#[wasm_bindgen]
pub fn click(url: &str, windows: Vec<WindowClient>) -> Result<Promise, JsValue> {
    let worker = worker();
    let origin = worker.location().origin();
    let asked = Url::new_with_base(url, &origin).ok().map(|url| url.href());
    let destination = destination(asked, &origin);
    let open = already_open(&destination, windows.iter().map(|window| window.url()));
    match open.and_then(|place| windows.into_iter().nth(place)) {
        Some(window) => window.focus(),
        None => Ok(worker.clients().open_window(&destination)),
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = self)]
    static WORKER: ServiceWorkerGlobalScope;
}

fn worker() -> ServiceWorkerGlobalScope {
    WORKER.with(Clone::clone)
}
