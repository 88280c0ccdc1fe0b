//! The functions that `worker/worker.js` calls: they read and act through the browser's own API.

use js_sys::{Array, JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{NotificationOptions, ServiceWorkerGlobalScope, Url};

use crate::destination::destination;
use crate::message::{Action, MemberValue, PushMessage};

/// Shows the notification that the data of a push describes; the promise is that of
/// `showNotification`.
///
/// An error when the data is no message of Hato (SPEC 2.4); the caller then shows its fallback.
/// `JSON.parse` of the browser is used, since a parser in the wasm would add to its size.
#[wasm_bindgen]
pub fn push(data: &str, token: Option<String>) -> Result<Promise, JsValue> {
    let data = JSON::parse(data)?;
    let message = PushMessage::read(|path| member(&data, path)).ok_or(JsValue::NULL)?;
    let worker = worker();
    let title = match &message.title {
        Some(title) => title.clone(),
        None => worker.location().host(),
    };
    let carried: &[&str] = if message.is_declarative {
        &["notification", "data"]
    } else {
        &["data"]
    };
    let options = options(&message, at(&data, carried), token)?;
    worker
        .registration()
        .show_notification_with_options(&title, &options)
}

/// What is at the end of a path of names.
fn at(object: &JsValue, path: &[&str]) -> Option<JsValue> {
    let mut value = object.clone();
    for name in path {
        value = Reflect::get(&value, &(*name).into()).ok()?;
    }
    Some(value)
}

/// The same, if it is a text, a flag or a number.
fn member(object: &JsValue, path: &[&str]) -> Option<MemberValue> {
    let value = at(object, path)?;
    if let Some(text) = value.as_string() {
        return Some(MemberValue::Text(text));
    }
    let flag = value.as_bool().map(MemberValue::Flag);
    flag.or_else(|| value.as_f64().map(MemberValue::Number))
}

/// The options of `showNotification`; browsers leave out those that they do not know.
fn options(
    message: &PushMessage,
    carried: Option<JsValue>,
    token: Option<String>,
) -> Result<NotificationOptions, JsValue> {
    let options = JsValue::from(Object::new());
    for (name, text) in [
        ("body", &message.body),
        ("icon", &message.icon),
        ("badge", &message.badge),
        ("image", &message.image),
        ("tag", &message.tag),
        ("dir", &message.dir),
        ("lang", &message.lang),
    ] {
        set(&options, name, text.as_deref())?;
    }
    for (name, flag) in [
        ("renotify", message.renotify),
        ("requireInteraction", message.require_interaction),
        ("silent", message.silent),
    ] {
        set(&options, name, flag)?;
    }
    set(&options, "timestamp", message.timestamp)?;
    if !message.actions.is_empty() {
        set(&options, "actions", Some(buttons(&message.actions)?))?;
    }
    set(&options, "data", Some(data(message, carried, token)?))?;
    Ok(options.unchecked_into())
}

fn set<T: Into<JsValue>>(object: &JsValue, name: &str, value: Option<T>) -> Result<(), JsValue> {
    if let Some(value) = value {
        Reflect::set(object, &name.into(), &value.into())?;
    }
    Ok(())
}

fn buttons(actions: &[Action]) -> Result<Array, JsValue> {
    let buttons = Array::new();
    for action in actions {
        let button = JsValue::from(Object::new());
        set(&button, "action", Some(&*action.action))?;
        set(&button, "title", Some(&*action.title))?;
        set(&button, "icon", action.icon.as_deref())?;
        buttons.push(&button);
    }
    Ok(buttons)
}

/// What the sender gave as data, and three members more: `hato` marks the notification as ours and keeps the url for the click (an empty one
/// stands for the site's root), `hatoActions` keeps those of its buttons, if they have any, and `hatoToken` the token by which a click is
/// reported.
fn data(
    message: &PushMessage,
    carried: Option<JsValue>,
    token: Option<String>,
) -> Result<JsValue, JsValue> {
    let data = Object::new();
    if let Some(carried) = carried.and_then(|it| it.dyn_into::<Object>().ok()) {
        Object::assign(&data, &carried);
    }
    let data = JsValue::from(data);
    set(
        &data,
        "hato",
        Some(message.url.as_deref().unwrap_or_default()),
    )?;
    set(&data, "hatoToken", token)?;
    if message.actions.iter().any(|action| action.url.is_some()) {
        let urls = JsValue::from(Object::new());
        for action in &message.actions {
            set(&urls, &action.action, action.url.as_deref())?;
        }
        set(&data, "hatoActions", Some(urls))?;
    }
    Ok(data)
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
