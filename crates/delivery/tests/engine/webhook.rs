//! What the webhooks' sender posts of what the engine has settled.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::{WebhookSender, WebhookSettings};
use hato_domain::{OutboundPolicy, WebhookUrl};
use hato_service::Secrets;
use hato_service::ports::{AppChange, ChangeAppOutcome, Clock, Store};
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::test_ca::TestCa;
use hato_testkit::webhook_receiver::{Event, ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{ENCRYPTION_KEY, TestEngine};

fn loopback() -> OutboundPolicy {
    OutboundPolicy::parse("127.0.0.0/8").expect("a CIDR list")
}

/// The receiver of the app's events, which fails the first time, and the sender.
async fn posting(test: &TestEngine) -> (WebhookReceiver, WebhookSender<dyn Store>) {
    let test_ca = TestCa::new();
    let receiver = WebhookReceiver::start(&test_ca).await;
    receiver.script([ReceiverResponse::Status(500)]);
    let url = WebhookUrl::parse(receiver.url(), &loopback()).expect("a URL");
    let set = test
        .store
        .change_app(&test.app.id, AppChange::from_webhook(Some(url)))
        .await;
    assert!(matches!(set.expect("stored"), ChangeAppOutcome::Changed(_)));
    let clock: Arc<dyn Clock> = Arc::clone(&test.clock) as _;
    let secrets = Secrets::new(None, Some(ENCRYPTION_KEY.into()));
    let notifier = test.notifier.clone();
    let settings = WebhookSettings {
        outbound: loopback(),
        outbound_ca: Some(test_ca.pem()),
        response_timeout: Duration::from_mins(1),
        ..WebhookSettings::new(vec![Duration::from_secs(5)])
    };
    let sender = WebhookSender::new(Arc::clone(&test.store), clock, secrets, notifier, settings);
    (receiver, sender.expect("the roots are certificates"))
}

async fn post(sender: &WebhookSender<dyn Store>) {
    sender.run_until_idle().await.expect("the store answers");
}

/// The endpoints that an event names.
fn named(event: &Event) -> Vec<String> {
    let results = event.json()["data"]["results"].take();
    let results = results.as_array().expect("a list").iter();
    let endpoint = |result: &serde_json::Value| result["endpoint"].as_str().map(str::to_owned);
    results.filter_map(endpoint).collect()
}

#[on_each_database]
async fn an_event_names_who_is_settled_and_is_the_same_at_each_attempt(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let (receiver, sender) = posting(&test).await;
    let subscriptions = test.subscribe(4).await;
    let answers = [(0, 500), (1, 410), (2, 400)];
    for (index, status) in answers {
        let subscription = &subscriptions[index];
        test.service
            .script(subscription, [ScriptedResponse::Status(status)]);
    }
    test.send().await;
    test.run_until_idle().await;
    for wait in [0, 10] {
        test.advance_clock(Duration::from_secs(wait));
        post(&sender).await;
    }
    let seen = receiver.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].id(), seen[1].id());
    assert_eq!(seen[0].body, seen[1].body);
    let mut named = named(&seen[0]);
    named.sort();
    let settled = subscriptions[1..].iter().map(|it| it.endpoint.clone());
    let mut settled: Vec<_> = settled.collect();
    settled.sort();
    assert_eq!(named, settled, "the first one is tried again");
}
