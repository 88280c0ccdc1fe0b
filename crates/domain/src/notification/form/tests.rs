//! What each form holds, and that it fits.

use serde_json::{Value, json};

use super::{MAX_TOKEN_BYTES, MessageForm, MessageForms};
use crate::{MessageSettings, Notification, SiteUrl, Tracking};

const RICH: &str = r##"{"title":"題\"","body":"b","icon":"https://a.example/i.png","url":"https://a.example/?q=\"#top","image":"https://a.example/p.png","actions":[{"action":"buy","title":"Buy","url":"https://a.example/buy"},{"action":"no","title":"No","icon":"https://a.example/n.png"}],"tag":"g","silent":true,"data":{"k":[1,{}]},"dir":"rtl","lang":"ja","app_badge":7}"##;

fn site() -> SiteUrl {
    SiteUrl::parse("https://shop.example/#start").expect("an address")
}

fn declarative(payload: &str, has_token: bool) -> MessageForm {
    MessageForm::declarative(payload, &site(), has_token).expect("a message")
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_plain_form_is_the_payload_and_ends_with_the_token() {
    assert_eq!(MessageForm::plain(RICH, false).shared(), Some(RICH));
    let form = MessageForm::plain(r#"{"title":"t","data":{}}"#, true);
    assert_eq!(form.shared(), None);
    let expected = r#"{"title":"t","data":{},"t":"abc"}"#;
    assert_eq!(form.with_token("abc"), expected);
    let longest = form.with_token(&"x".repeat(MAX_TOKEN_BYTES));
    assert_eq!(form.max_bytes(), longest.len());
}

#[test]
fn the_declarative_form_has_what_apple_shows_and_nothing_else() {
    let form = declarative(RICH, false);
    let expected = json!({
        "web_push": 8030,
        "notification": {
            "title": "題\"",
            "body": "b",
            "navigate": "https://a.example/?q=\"#top",
            "lang": "ja",
            "dir": "rtl",
            "tag": "g",
            "icon": "https://a.example/i.png",
            "silent": true,
            "data": {"k": [1, {}]},
            "actions": [
                {"action": "buy", "title": "Buy", "navigate": "https://a.example/buy"},
                {
                    "action": "no",
                    "title": "No",
                    "navigate": "https://a.example/?q=\"#top",
                    "icon": "https://a.example/n.png",
                },
            ],
            "app_badge": 7,
        },
        "app_badge": 7,
    });
    assert_eq!(read(form.shared().expect("one text")), expected);
    assert_eq!(form.shared().map(str::len), Some(form.max_bytes()));
}

#[test]
fn without_a_url_it_leads_to_the_site() {
    let form = declarative(r#"{"title":"t","body":"b"}"#, false);
    let expected = r#"{"web_push":8030,"notification":{"title":"t","body":"b","navigate":"https://shop.example/#start"}}"#;
    assert_eq!(form.shared(), Some(expected));
}

#[test]
fn a_token_stands_in_the_query_and_at_the_end() {
    for (payload, navigate) in [
        (RICH, "https://a.example/?q=\"&hato_t=abc#top"),
        (
            r#"{"title":"t","body":"b"}"#,
            "https://shop.example/?hato_t=abc#start",
        ),
        (
            r#"{"title":"t","body":"b","url":"https://a.example/#a?b"}"#,
            "https://a.example/?hato_t=abc#a?b",
        ),
        (
            r#"{"title":"t","body":"b","url":"https://a.example/x "}"#,
            "https://a.example/x?hato_t=abc",
        ),
    ] {
        let form = declarative(payload, true);
        let message = form.with_token("abc");
        assert_eq!(read(&message)["notification"]["navigate"], navigate);
        assert!(message.ends_with(r#","t":"abc"}"#), "{message}");
        let longest = form.with_token(&"x".repeat(MAX_TOKEN_BYTES));
        assert_eq!(form.max_bytes(), longest.len());
    }
}

#[test]
fn the_app_says_which_forms_there_are() {
    let forms = |declarative, tracking| {
        let settings = MessageSettings {
            site_url: Some(site()),
            declarative,
            tracking,
        };
        MessageForms::new(RICH, &settings)
    };
    let plain = forms(false, Tracking::Off);
    assert_eq!(
        (plain.plain.shared(), &plain.declarative),
        (Some(RICH), &None)
    );
    let both = forms(true, Tracking::Off).declarative;
    assert_eq!(both, Some(declarative(RICH, false)));
    let counted = forms(true, Tracking::Counts);
    assert_eq!(counted.plain, MessageForm::plain(RICH, true));
    assert_eq!(counted.declarative, Some(declarative(RICH, true)));
    assert!(counted.fit());
}

#[test]
fn each_form_fits_to_the_byte() {
    type Make = fn(&str) -> MessageForm;
    let forms: [Make; 3] = [
        |payload| MessageForm::plain(payload, false),
        |payload| MessageForm::plain(payload, true),
        |payload| declarative(payload, true),
    ];
    for form in forms {
        let sized = |bytes| {
            form(&format!(
                r#"{{"title":"t","body":"{}"}}"#,
                "x".repeat(bytes)
            ))
        };
        let room = Notification::MAX_MESSAGE_BYTES - sized(0).max_bytes();
        assert!(sized(room).fits() && !sized(room + 1).fits());
    }
}
