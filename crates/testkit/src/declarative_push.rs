//! The parser of declarative push messages, after the steps of the W3C's Push API ("Declarative push message", "Parser"). Where browsers
//! differ, the strictest of them: a known member of another type fails the whole message.

use serde_json::{Map, Value};
use url::Url;

/// What makes a JSON document a declarative push message.
const WEB_PUSH: u64 = 8_030;
/// The members of a notification that are addresses.
const ADDRESSES: [&str; 4] = ["navigate", "icon", "image", "badge"];

/// A message as a browser understands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclarativeMessage {
    /// The title of the notification.
    pub title: String,
    /// Where a click leads.
    pub navigate: Url,
    /// The number on the app's icon, where it stands since Safari 18.5.
    pub app_badge: Option<u64>,
    /// The `notification` of the message, with all that stands in it.
    pub notification: Map<String, Value>,
}

/// Reads the data of a push; the reason when it is no declarative message.
pub fn parse(data: &[u8]) -> Result<DeclarativeMessage, String> {
    let message: Value = serde_json::from_slice(data).map_err(|error| error.to_string())?;
    let message = message.as_object().ok_or("it is no map")?;
    if message.get("web_push").and_then(Value::as_u64) != Some(WEB_PUSH) {
        return Err("web_push is not 8030".to_owned());
    }
    let notification = message.get("notification").and_then(Value::as_object);
    let notification = notification.ok_or("notification is no map")?;
    for (name, value) in notification {
        check_member(name, value)?;
    }
    Ok(DeclarativeMessage {
        title: text(notification, "title")?.to_owned(),
        navigate: address(text(notification, "navigate")?)?,
        app_badge: message.get("app_badge").map(unsigned).transpose()?,
        notification: notification.clone(),
    })
}

fn text<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    let value = map.get(name).and_then(Value::as_str);
    value.ok_or_else(|| format!("{name} is no string"))
}

fn address(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|error| format!("{text} is no address: {error}"))
}

fn unsigned(value: &Value) -> Result<u64, String> {
    let number = value.as_u64();
    number.ok_or_else(|| format!("{value} is no unsigned integer of 64 bits"))
}

/// Each member that is defined has one type.
fn check_member(name: &str, value: &Value) -> Result<(), String> {
    let is_right = match name {
        "title" | "lang" | "body" | "tag" => value.is_string(),
        "dir" => ["auto", "ltr", "rtl"].iter().any(|it| value == it),
        "silent" | "renotify" | "requireInteraction" | "mutable" => value.is_boolean(),
        "timestamp" | "app_badge" => value.is_u64(),
        "vibrate" => is_list_of(value, |item| item.as_u64().is_some()),
        "actions" => is_list_of(value, |item| check_action(item).is_ok()),
        _ if ADDRESSES.contains(&name) => value.as_str().is_some_and(|it| address(it).is_ok()),
        // Any value is data, and a member that is not defined is not looked at.
        _ => true,
    };
    if is_right {
        Ok(())
    } else {
        Err(format!("{name} is {value}"))
    }
}

fn is_list_of(value: &Value, is_item: impl Fn(&Value) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_item))
}

/// A button has a name, a title and an address, and may have an icon.
fn check_action(action: &Value) -> Result<(), String> {
    let action = action.as_object().ok_or("it is no map")?;
    text(action, "action")?;
    text(action, "title")?;
    address(text(action, "navigate")?)?;
    match action.get("icon") {
        Some(_) => address(text(action, "icon")?).map(drop),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_members_are_judged_by_their_types() {
        let message = |members: &str| {
            let text = format!(r#"{{"web_push":8030,"notification":{{"title":"t",{members}}}}}"#);
            parse(text.as_bytes()).is_ok()
        };
        let navigate = r#""navigate":"https://a.example/""#;
        let with = |member: &str| message(&format!("{navigate},{member}"));
        assert!(message(navigate) && with(r#""dir":"rtl""#) && with(r#""data":null"#));
        assert!(with(
            r#""actions":[{"action":"a","title":"A","navigate":"https://a.example/"}]"#
        ));
        for wrong in [
            r#""dir":"up""#,
            r#""silent":"true""#,
            r#""lang":1"#,
            r#""app_badge":-1"#,
            r#""app_badge":"1""#,
            r#""icon":"/i.png""#,
            r#""actions":{}"#,
            r#""actions":[{"action":"a","title":"A"}]"#,
        ] {
            assert!(!with(wrong), "{wrong}");
        }
        for text in [
            r#"{"web_push":"8030","notification":{"title":"t","navigate":"https://a.example/"}}"#,
            r#"{"web_push":8030,"notification":{"navigate":"https://a.example/"}}"#,
            r#"{"web_push":8030,"notification":{"title":"t"}}"#,
            r#"{"web_push":8030,"notification":{"title":"t","navigate":"there"}}"#,
            r#"{"web_push":8030,"notification":[]}"#,
            r#"{"notification":{"title":"t","navigate":"https://a.example/"}}"#,
            "[]",
            "",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
