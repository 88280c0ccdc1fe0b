//! Declarative messages, which Apple's push service gets and no other (CONTRACT 13).

use std::sync::Arc;

use hato_domain::notification::{
    AppBadge, Links, NotificationAction, NotificationActions, RichMembers,
};
use hato_domain::{FieldChange, HttpsUrl, MessageSettingsChange, Notification, SiteUrl};
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
    let later = NotificationAction::new("later".into(), "Later".into(), None, None);
    let actions = [buy, later].map(|it| it.expect("a button")).into();
    let rich = RichMembers {
        image: link("https://a.example/p.png"),
        actions: NotificationActions::new(actions).ok(),
        require_interaction: Some(true),
        silent: Some(false),
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
        "icon": "https://a.example/i.png",
        "silent": false,
        "actions": [
            {"action": "buy", "title": "Buy", "navigate": "https://a.example/buy"},
            {"action": "later", "title": "Later", "navigate": "https://a.example/news"},
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
