//! What messages are read as.

use serde_json::{Value, json};

use super::{Action, MemberValue, PushMessage};

fn read(data: &Value) -> Option<PushMessage> {
    PushMessage::read(|path| {
        let value = path.iter().try_fold(data, |it, name| match it {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            it => it.get(name),
        })?;
        let text = || value.as_str().map(|it| MemberValue::Text(it.to_owned()));
        let flag = || value.as_bool().map(MemberValue::Flag);
        text()
            .or_else(flag)
            .or_else(|| value.as_f64().map(MemberValue::Number))
    })
}

fn titled(title: &str) -> PushMessage {
    PushMessage {
        title: Some(title.to_owned()),
        ..PushMessage::default()
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
        "image": "https://example.com/image.png",
        "actions": [
            {"action": "a", "title": "A", "url": "https://example.com/a"},
            {"action": "b", "title": "B", "icon": "https://example.com/b.png"},
        ],
        "tag": "news",
        "renotify": true,
        "require_interaction": true,
        "silent": false,
        "dir": "rtl",
        "lang": "ja",
        "timestamp": 1_790_000_000_000_i64,
    }));
    let some = |text: &str| Some(text.to_owned());
    let action = |name: &str, url: Option<&str>, icon: Option<&str>| Action {
        action: name.to_lowercase(),
        title: name.to_owned(),
        url: url.map(str::to_owned),
        icon: icon.map(str::to_owned),
    };
    assert_eq!(
        message,
        Some(PushMessage {
            title: some("新着"),
            body: some("鳩が着きました"),
            icon: some("https://example.com/icon.png"),
            badge: some("https://example.com/badge.png"),
            url: some("https://example.com/news"),
            image: some("https://example.com/image.png"),
            actions: vec![
                action("A", Some("https://example.com/a"), None),
                action("B", None, Some("https://example.com/b.png")),
            ],
            tag: some("news"),
            renotify: Some(true),
            require_interaction: Some(true),
            silent: Some(false),
            dir: some("rtl"),
            lang: some("ja"),
            timestamp: Some(1_790_000_000_000.0),
            is_declarative: false,
        })
    );
}

#[test]
fn a_declarative_message_is_read_by_its_own_names() {
    let message = read(&json!({
        "web_push": 8030,
        "title": "outside",
        "notification": {
            "title": "t",
            "navigate": "https://example.com/",
            "url": "https://example.com/other",
            "silent": true,
            "actions": [{"action": "a", "title": "A", "navigate": "https://example.com/a"}],
        },
    }));
    let expected = PushMessage {
        url: Some("https://example.com/".into()),
        silent: Some(true),
        actions: vec![Action {
            action: "a".into(),
            title: "A".into(),
            url: Some("https://example.com/a".into()),
            icon: None,
        }],
        is_declarative: true,
        ..titled("t")
    };
    assert_eq!(message, Some(expected));
    for data in [
        json!({"web_push": 8030, "title": "t"}),
        json!({"web_push": 8030, "notification": "t"}),
        json!({"web_push": 8030, "notification": ["t"]}),
    ] {
        assert_eq!(read(&data), None, "{data}");
    }
    let plain = read(&json!({"web_push": "8030", "title": "t", "notification": {"title": "n"}}));
    assert_eq!(plain, Some(titled("t")));
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
fn what_browsers_would_refuse_is_left_out() {
    let data = json!({
        "title": "t", "body": null, "icon": 7, "url": {"href": "x"}, "image": [], "tag": 1,
        "actions": [1, null, {"action": "a"}, {"action": "d", "title": "beyond the third"}],
        "renotify": true, "require_interaction": "true", "silent": 1, "dir": "up",
        "lang": true, "timestamp": "now",
    });
    assert_eq!(read(&data), Some(titled("t")));
    let silent =
        json!({"title": "t", "tag": "g", "renotify": true, "silent": true, "timestamp": -1});
    let expected = PushMessage {
        tag: Some("g".into()),
        silent: Some(true),
        ..titled("t")
    };
    assert_eq!(read(&silent), Some(expected));
    for actions in [json!({"0": 1}), json!("abc"), json!(true)] {
        assert_eq!(
            read(&json!({"title": "t", "actions": actions})),
            Some(titled("t"))
        );
    }
}

#[test]
fn pictures_come_over_https_only() {
    let data = json!({
        "title": "t",
        "icon": "http://example.com/icon.png",
        "badge": "data:image/png;base64,AAAA",
        "image": "blob:https://example.com/1",
    });
    assert_eq!(read(&data), Some(titled("t")));
}
