//! What must hold for any bytes whatever: the target of `make fuzz` in this crate. It panics when it does not.

use serde_json::{Value, json};

use crate::destination::destination;
use crate::message::{Action, MemberValue, PushMessage};

const SITE: &str = "https://shop.example";

/// Whatever JSON a push carries: what is shown of it can be sent again, and a click leads to https or to the site.
pub fn worker_message(data: &[u8]) {
    let Ok(data) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let Some(message) = read(&data) else {
        return;
    };
    assert!(message.title.is_some() || message.body.is_some());
    let pictures = [&message.icon, &message.badge, &message.image];
    let of_actions = message.actions.iter().map(|it| &it.icon);
    let mut pictures = pictures.into_iter().chain(of_actions).flatten();
    assert!(pictures.all(|it| it.starts_with("https://")));
    assert!(message.actions.len() <= 3);
    let of_actions = message.actions.iter().map(|it| it.url.clone());
    for requested in of_actions.chain([message.url.clone()]) {
        let leads_to = destination(requested, SITE);
        assert!(leads_to.starts_with("https://"), "{leads_to}");
    }
    assert_eq!(read(&written(&message)).as_ref(), Some(&message));
}

/// What the browser's `JSON.parse` and a walk along the names give.
fn read(data: &Value) -> Option<PushMessage> {
    PushMessage::read(|path| {
        let value = path.iter().try_fold(data, |it, name| match it {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            it => it.get(name),
        })?;
        match value {
            Value::String(text) => Some(MemberValue::Text(text.clone())),
            Value::Bool(flag) => Some(MemberValue::Flag(*flag)),
            value => value.as_f64().map(MemberValue::Number),
        }
    })
}

fn written(message: &PushMessage) -> Value {
    let link = if message.is_declarative {
        "navigate"
    } else {
        "url"
    };
    let action = |it: &Action| json!({"action": it.action, "title": it.title, link: it.url, "icon": it.icon});
    let members = json!({
        "title": message.title, "body": message.body, "icon": message.icon, "badge": message.badge,
        link: message.url, "image": message.image, "tag": message.tag, "renotify": message.renotify,
        "require_interaction": message.require_interaction, "silent": message.silent, "dir": message.dir,
        "lang": message.lang, "timestamp": message.timestamp,
        "actions": message.actions.iter().map(action).collect::<Vec<_>>(),
    });
    if message.is_declarative {
        json!({"web_push": 8030, "notification": members})
    } else {
        members
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn messages() {
        hato_corpus::replay("worker_message", super::worker_message);
    }
}
