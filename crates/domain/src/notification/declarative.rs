//! What of a message a declarative one takes over: the members that the W3C's Push API defines, each with the type that it must have, for
//! one of another type may fail the whole message.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The members of a payload that a declarative message takes over.
#[derive(Deserialize)]
pub(super) struct SentMessage<'a> {
    pub title: String,
    pub body: String,
    pub url: Option<String>,
    lang: Option<String>,
    dir: Option<String>,
    tag: Option<String>,
    icon: Option<String>,
    silent: Option<bool>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    actions: Option<Vec<SentAction>>,
    pub app_badge: Option<u32>,
}

#[derive(Deserialize)]
struct SentAction {
    action: String,
    title: String,
    url: Option<String>,
    icon: Option<String>,
}

/// The options of a declarative notification, named as there.
#[derive(Serialize)]
struct DeclarativeOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Vec<DeclarativeAction<'a>>>,
    /// Where Safari 18.4 looks for it; later ones look beside the notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    app_badge: Option<u32>,
}

#[derive(Serialize)]
struct DeclarativeAction<'a> {
    action: &'a str,
    title: &'a str,
    navigate: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a str>,
}

impl SentAction {
    fn declared<'a>(&'a self, navigate: &'a str) -> DeclarativeAction<'a> {
        DeclarativeAction {
            action: &self.action,
            title: &self.title,
            navigate: self.url.as_deref().unwrap_or(navigate),
            icon: self.icon.as_deref(),
        }
    }
}

impl SentMessage<'_> {
    /// The members after `navigate`, each with a comma before it. A button without an address leads where the notification does.
    pub fn options(&self, navigate: &str) -> String {
        let actions = self.actions.as_ref();
        let actions = actions.map(|all| all.iter().map(|it| it.declared(navigate)));
        let options = DeclarativeOptions {
            lang: self.lang.as_deref(),
            dir: self.dir.as_deref(),
            tag: self.tag.as_deref(),
            icon: self.icon.as_deref(),
            silent: self.silent,
            data: self.data,
            actions: actions.map(Iterator::collect),
            app_badge: self.app_badge,
        };
        let object = serde_json::to_string(&options).unwrap_or_default();
        match object.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            None | Some("") => String::new(),
            Some(members) => format!(",{members}"),
        }
    }
}
