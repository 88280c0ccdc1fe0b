//! Declarative messages, which Apple's push service gets and no other (CONTRACT 13), and the tokens in them (CONTRACT 15).

use std::collections::HashSet;
use std::sync::Arc;

use hato_domain::notification::{
    AppBadge, Links, NotificationAction, NotificationActions, NotificationData, NotificationTag,
    RichMembers, TextDirection,
};
use hato_domain::{
    FieldChange, HttpsUrl, LanguageTag, MessageSettingsChange, Notification, SiteUrl, Tracking,
};
use hato_service::ports::{AppChange, ChangeAppOutcome};
use hato_testkit::declarative_push;
use hato_testkit::push_service::{PushService, PushServiceOptions};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::test_engine::{PAYLOAD, TestEngine};
use crate::test_resolver::TestResolver;

const APPLE: &str = "web.push.apple.com";

/// An engine whose push service is Apple's, beside another one.
async fn apples(database: TestDatabase) -> (TestEngine, PushService) {
    let options = PushServiceOptions {
        host: APPLE.into(),
        ..PushServiceOptions::default()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.resolver = TestResolver::new(&[(APPLE, &["127.0.0.1"])]);
    let options = PushServiceOptions {
        ca: Some(Arc::clone(test.service.ca())),
        ..PushServiceOptions::default()
    };
    let other = PushService::start_with(options).await.expect("a free port");
    (test, other)
}

async fn set(test: &TestEngine, site_url: &str, declarative: bool) {
    let messages = MessageSettingsChange {
        site_url: FieldChange::Set(SiteUrl::parse(site_url).expect("an address")),
        declarative: Some(declarative),
        tracking: None,
    };
    change(test, messages).await;
}

/// From now on the app counts what becomes of its messages.
async fn count(test: &TestEngine) {
    let messages = MessageSettingsChange {
        tracking: Some(Tracking::Counts),
        ..MessageSettingsChange::default()
    };
    change(test, messages).await;
}

async fn change(test: &TestEngine, messages: MessageSettingsChange) {
    let change = AppChange {
        messages,
        ..AppChange::default()
    };
    let changed = test.store.change_app(&test.app.id, change).await;
    assert!(matches!(
        changed.expect("stored"),
        ChangeAppOutcome::Changed(_)
    ));
}

/// What a push service was sent last.
fn last(service: &PushService) -> Vec<u8> {
    let message = service.seen(|seen| seen.messages.last().cloned());
    let message = message.expect("a message");
    message.plaintext.expect("it was decrypted")
}

fn json_of(service: &PushService) -> Value {
    serde_json::from_slice(&last(service)).expect("JSON")
}

fn link(text: &str) -> Option<HttpsUrl> {
    HttpsUrl::parse(text).ok()
}

fn rich() -> Notification {
    let buy = NotificationAction::new(
        "buy".into(),
        "Buy".into(),
        link("https://a.example/buy"),
        None,
    );
    let icon = link("https://a.example/l.png");
    let later = NotificationAction::new("later".into(), "Later".into(), None, icon);
    let actions = [buy, later].map(|it| it.expect("a button")).into();
    let rich = RichMembers {
        image: link("https://a.example/p.png"),
        actions: NotificationActions::new(actions).ok(),
        tag: NotificationTag::parse("news".into()).ok(),
        require_interaction: Some(true),
        silent: Some(false),
        data: NotificationData::parse(r#"{"order":17,"lines":[{"sku":"鳩"}]}"#).ok(),
        dir: Some(TextDirection::RightToLeft),
        lang: LanguageTag::parse("ja-JP").ok(),
        app_badge: AppBadge::parse(5).ok(),
        ..RichMembers::default()
    };
    let links = Links {
        url: link("https://a.example/news"),
        icon: link("https://a.example/i.png"),
        badge: link("https://a.example/b.png"),
    };
    Notification::with_members("題".into(), "b".into(), links, &rich).expect("small")
}

#[on_each_database]
async fn apple_gets_a_declarative_message_and_others_the_plain_one(database: TestDatabase) {
    let (test, other) = apples(database).await;
    set(&test, "https://shop.example/", true).await;
    // More than a chunk of recipients, of both push services.
    test.subscribe(40).await;
    test.subscribe_at(&other, &test.app, 3).await;
    let sent = rich();
    test.send_notification(sent.clone()).await;
    test.run_until_idle().await;
    for service in [&test.service, &other] {
        service.assert_no_violations();
    }
    assert_eq!(test.service.seen(|seen| seen.messages.len()), 40);
    let plaintexts = test.service.seen(|seen| {
        let texts = seen.messages.iter().map(|it| it.plaintext.clone());
        texts.collect::<Vec<_>>()
    });
    assert!(plaintexts.iter().all(|it| *it == plaintexts[0]));
    let message = declarative_push::parse(&last(&test.service)).expect("a declarative message");
    assert_eq!(message.title, "題");
    assert_eq!(message.navigate.as_str(), "https://a.example/news");
    assert_eq!(message.app_badge, Some(5));
    let expected = json!({
        "title": "題",
        "body": "b",
        "navigate": "https://a.example/news",
        "lang": "ja-JP",
        "dir": "rtl",
        "tag": "news",
        "icon": "https://a.example/i.png",
        "silent": false,
        "data": {"order": 17, "lines": [{"sku": "鳩"}]},
        "actions": [
            {"action": "buy", "title": "Buy", "navigate": "https://a.example/buy"},
            {
                "action": "later",
                "title": "Later",
                "navigate": "https://a.example/news",
                "icon": "https://a.example/l.png",
            },
        ],
        "app_badge": 5,
    });
    assert_eq!(Value::Object(message.notification), expected);
    assert_eq!(last(&other), sent.payload().as_bytes());
}

#[on_each_database]
async fn a_message_without_url_leads_to_the_site(database: TestDatabase) {
    let (test, _other) = apples(database).await;
    set(&test, "https://shop.example/start", true).await;
    test.subscribe(1).await;
    test.deliver().await;
    let message = declarative_push::parse(&last(&test.service)).expect("a declarative message");
    assert_eq!(message.navigate.as_str(), "https://shop.example/start");
}

#[on_each_database]
async fn what_the_app_says_when_it_goes_out_counts(database: TestDatabase) {
    let (test, _other) = apples(database).await;
    test.subscribe(1).await;
    test.deliver().await;
    assert_eq!(last(&test.service), PAYLOAD.as_bytes());
    test.send().await;
    set(&test, "https://shop.example/", true).await;
    test.run_until_idle().await;
    assert_eq!(json_of(&test.service)["web_push"], 8030);
    test.send().await;
    set(&test, "https://shop.example/", false).await;
    test.run_until_idle().await;
    assert_eq!(last(&test.service), PAYLOAD.as_bytes());
}

#[on_each_database]
async fn one_that_became_too_large_goes_out_plain(database: TestDatabase) {
    let (test, _other) = apples(database).await;
    test.subscribe(1).await;
    let large = Notification::new("t".into(), "x".repeat(3_000), Links::default());
    let large = large.expect("small enough");
    test.send_notification(large.clone()).await;
    let site = format!("https://shop.example/{}", "x".repeat(1_500));
    set(&test, &site, true).await;
    test.run_until_idle().await;
    assert_eq!(last(&test.service), large.payload().as_bytes());
}

/// All that a push service was sent.
fn all(service: &PushService) -> Vec<Vec<u8>> {
    let messages = service.seen(|seen| seen.messages.clone());
    let plaintexts = messages.into_iter().map(|it| it.plaintext);
    plaintexts.map(|it| it.expect("it was decrypted")).collect()
}

#[on_each_database]
async fn where_the_app_counts_each_address_carries_its_recipients_token(database: TestDatabase) {
    let (test, other) = apples(database).await;
    set(&test, "https://shop.example/", true).await;
    count(&test).await;
    test.subscribe(40).await;
    test.subscribe_at(&other, &test.app, 3).await;
    test.send_notification(rich()).await;
    test.run_until_idle().await;
    for service in [&test.service, &other] {
        service.assert_no_violations();
    }
    let token = |message: &[u8]| {
        let message: Value = serde_json::from_slice(message).expect("JSON");
        message["t"].as_str().expect("a token").to_owned()
    };
    let mut tokens: HashSet<String> = all(&other).iter().map(|it| token(it)).collect();
    for sent in all(&test.service) {
        let message = declarative_push::parse(&sent).expect("a declarative message");
        let token = token(&sent);
        let navigate = format!("https://a.example/news?hato_t={token}");
        assert_eq!(message.navigate.as_str(), navigate);
        assert!(tokens.insert(token), "{navigate} a second time");
    }
    assert_eq!(tokens.len(), 43);
}

/// A message of so many bytes in all.
fn sized(bytes: usize) -> Notification {
    let make = |letters: usize| {
        let rich = RichMembers {
            data: NotificationData::parse(&json!({"d": "x".repeat(1_000)}).to_string()).ok(),
            ..RichMembers::default()
        };
        let body = "x".repeat(letters);
        Notification::with_members("t".into(), body, Links::default(), &rich)
    };
    let frame = make(0).expect("small").payload().len();
    let message = make(bytes - frame).expect("small enough");
    assert_eq!(message.payload().len(), bytes);
    message
}

#[on_each_database]
async fn one_without_room_for_more_arrives_as_it_was_accepted(database: TestDatabase) {
    let (test, other) = apples(database).await;
    test.subscribe(1).await;
    test.subscribe_at(&other, &test.app, 1).await;
    let largest = sized(Notification::MAX_MESSAGE_BYTES);
    let arrives = async || {
        test.send_notification(largest.clone()).await;
        test.run_until_idle().await;
        for service in [&test.service, &other] {
            service.assert_no_violations();
            assert_eq!(last(service), largest.payload().as_bytes());
        }
    };
    arrives().await;
    // As when it was accepted before the app's settings were changed.
    count(&test).await;
    arrives().await;
    set(&test, "https://shop.example/", true).await;
    arrives().await;
}

#[on_each_database]
async fn a_declarative_one_without_room_for_tokens_has_none(database: TestDatabase) {
    let (test, other) = apples(database).await;
    set(&test, "https://shop.example/", true).await;
    count(&test).await;
    test.subscribe(1).await;
    test.subscribe_at(&other, &test.app, 1).await;
    // The plain form has room for its token; the declarative one has a longer frame and two places for it.
    test.send_notification(sized(Notification::MAX_MESSAGE_BYTES - 100))
        .await;
    test.run_until_idle().await;
    assert!(json_of(&other)["t"].is_string());
    let message = declarative_push::parse(&last(&test.service)).expect("a declarative message");
    assert_eq!(message.navigate.as_str(), "https://shop.example/");
    assert_eq!(json_of(&test.service)["t"], Value::Null);
}
