//! The message that a push carries (SPEC 2.4).

/// What a notification shows and where a click on it leads.
///
/// Every member of the message is optional, but one with neither title nor body says nothing and
/// is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushMessage {
    /// The headline; without one the site's name stands in for it.
    pub title: Option<String>,
    /// The text below the headline.
    pub body: Option<String>,
    /// An `https://` address of a picture.
    pub icon: Option<String>,
    /// An `https://` address of a monochrome picture for the status bar.
    pub badge: Option<String>,
    /// Where a click leads, as sent: [`crate::destination`] judges it at the click.
    pub url: Option<String>,
}

impl PushMessage {
    /// Reads a message through `member`, which answers the member of that name if it is a string.
    ///
    /// `None` when neither title nor body is there. An icon or badge that does not start with
    /// `https://` is left out (SPEC 2.4).
    pub fn read(member: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let text = |name| member(name).filter(|value| !value.trim().is_empty());
        let picture = |name| text(name).filter(|address| address.starts_with("https://"));
        let (title, body) = (text("title"), text("body"));
        (title.is_some() || body.is_some()).then(|| Self {
            title,
            body,
            icon: picture("icon"),
            badge: picture("badge"),
            url: text("url"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::PushMessage;

    fn read(data: &Value) -> Option<PushMessage> {
        PushMessage::read(|name| data[name].as_str().map(str::to_owned))
    }

    fn titled(title: &str) -> PushMessage {
        PushMessage {
            title: Some(title.to_owned()),
            body: None,
            icon: None,
            badge: None,
            url: None,
        }
    }

    #[test]
    fn a_whole_message_is_read_as_sent() {
        let message = read(&json!({
            "title": "新着",
            "body": "鳩が着きました",
            "icon": "https://example.com/icon.png",
            "badge": "https://example.com/badge.png",
            "url": "https://example.com/news",
        }));
        assert_eq!(
            message,
            Some(PushMessage {
                title: Some("新着".into()),
                body: Some("鳩が着きました".into()),
                icon: Some("https://example.com/icon.png".into()),
                badge: Some("https://example.com/badge.png".into()),
                url: Some("https://example.com/news".into()),
            })
        );
    }

    #[test]
    fn a_body_alone_is_a_message() {
        let message = read(&json!({"body": "text"})).expect("it has a body");
        assert_eq!((message.title, message.body), (None, Some("text".into())));
    }

    #[test]
    fn what_says_nothing_is_no_message() {
        for data in [
            json!({}),
            json!({"title": "", "body": " "}),
            json!({"title": 1, "body": ["text"]}),
            json!({"url": "https://example.com/"}),
            json!(["title"]),
            json!("title"),
            json!(null),
        ] {
            assert_eq!(read(&data), None, "{data}");
        }
    }

    #[test]
    fn members_of_another_type_are_absent() {
        let data = json!({"title": "t", "body": null, "icon": 7, "url": {"href": "x"}});
        assert_eq!(read(&data), Some(titled("t")));
    }

    #[test]
    fn pictures_come_over_https_only() {
        let data = json!({
            "title": "t",
            "icon": "http://example.com/icon.png",
            "badge": "data:image/png;base64,AAAA",
        });
        assert_eq!(read(&data), Some(titled("t")));
    }
}
