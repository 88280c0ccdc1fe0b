//! What arrives: every outcome once, signed.

use std::collections::BTreeMap;
use std::time::Duration;

use hato_domain::FailureReason;
use hato_service::ports::{Clock as _, ExpiredRecipient, NewDeadLetter, RetryJob, Settlement};
use hato_testkit::webhook_receiver::Event;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::test_webhooks::{TestWebhooks, reached};

#[on_each_database]
async fn a_send_is_told_of_in_results_and_a_completion(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    // One after the other, so that they are seen in the order of settlement.
    test.settings.per_app = 1;
    test.subscribe(&test.app, 4).await;
    let send = test.send(&test.app).await;
    let (page, recipients) = test.claim().await;
    let settlement = Settlement {
        sent: reached(&recipients[..1]),
        expired: vec![ExpiredRecipient {
            recipient: recipients[1].id,
            http_status: 410,
        }],
        dead_letters: vec![NewDeadLetter {
            recipient: recipients[2].id,
            reason: FailureReason::Unreachable,
            http_status: None,
            attempts: 1,
            detail: None,
        }],
        retries: vec![RetryJob {
            recipients: vec![recipients[3].id],
            attempt: 1,
            due_at: page.accepted_at,
        }],
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
    let (retry, again) = test.claim().await;
    let settlement = Settlement {
        sent: reached(&again),
        ..Settlement::default()
    };
    test.settle(&retry, settlement).await;
    test.post().await;

    let seen = test.receiver.seen();
    let kinds: Vec<_> = seen.iter().map(Event::kind).collect();
    assert_eq!(
        kinds,
        ["delivery.results", "delivery.results", "send.completed"]
    );
    let result = |number: usize, status: &str, http_status: Value, attempts: u8| {
        json!({
            "subscription_id": format!("sub_{number}"),
            "endpoint": format!("https://push.example/{number}"),
            "status": status,
            "http_status": http_status,
            "attempts": attempts,
        })
    };
    let (app, send) = (test.app.as_str(), send.as_str());
    assert_eq!(
        seen[0].json()["data"],
        json!({"app_id": app, "send_id": send, "results": [
            result(2, "expired", json!(410), 1),
            result(3, "failed", Value::Null, 1),
            result(1, "sent", json!(201), 1),
        ]})
    );
    assert_eq!(
        seen[1].json()["data"]["results"],
        json!([result(4, "sent", json!(201), 2)])
    );
    assert_eq!(
        seen[2].json()["data"],
        json!({
            "app_id": app, "send_id": send, "recipients": 4, "sent_count": 2,
            "failed_expired": 1, "failed_other": 1, "skipped_count": 0, "cancelled_count": 0,
        })
    );
}

#[on_each_database]
async fn a_send_that_reaches_nobody_is_completed_once(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.per_app = 1;
    let to_nobody = test.send(&test.app).await;
    test.subscribe(&test.app, 3).await;
    let cancelled = test.send(&test.app).await;
    for stopped in [3, 0] {
        let now = test.clock.now();
        let done = test.store.cancel_send(&test.app, &cancelled, now).await;
        assert_eq!(done.expect("stored"), Some(stopped));
    }
    test.post().await;
    let ends: Vec<_> = test
        .receiver
        .seen()
        .iter()
        .map(|event| {
            let data = &event.json()["data"];
            assert_eq!(event.kind(), "send.completed");
            (data["send_id"].clone(), data["cancelled_count"].clone())
        })
        .collect();
    assert_eq!(
        ends,
        [
            (json!(to_nobody.as_str()), json!(0)),
            (json!(cancelled.as_str()), json!(3))
        ]
    );
}

#[on_each_database]
async fn a_full_page_is_one_event_that_names_everybody_once(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 500).await;
    test.deliver(&test.app).await;
    test.post().await;
    let seen = test.receiver.seen();
    assert_eq!(seen.len(), 2);
    let mut named = BTreeMap::new();
    for result in seen[0].json()["data"]["results"]
        .as_array()
        .expect("a list")
    {
        *named
            .entry(result["subscription_id"].to_string())
            .or_insert(0) += 1;
    }
    assert_eq!(named.len(), 500);
    assert!(named.values().all(|times| *times == 1));
}

#[on_each_database]
async fn every_event_arrives_once_and_alone_in_the_order_of_settlement(database: TestDatabase) {
    for per_app in [1, 32] {
        let mut test = TestWebhooks::new(database.another().await).await;
        test.settings.per_app = per_app;
        test.subscribe(&test.app, 1).await;
        let mut sends = Vec::new();
        for _ in 0..30 {
            sends.push(test.deliver(&test.app).await.to_string());
        }
        test.post().await;
        let seen = test.receiver.seen();
        let arrived = seen.iter().map(|event| {
            let send = event.json()["data"]["send_id"].clone();
            (send.as_str().expect("a send").to_owned(), event.kind())
        });
        let mut arrived: Vec<_> = arrived.collect();
        let settled = sends.into_iter().flat_map(|send| {
            ["delivery.results", "send.completed"].map(|kind| (send.clone(), kind.to_owned()))
        });
        let mut settled: Vec<_> = settled.collect();
        if per_app > 1 {
            arrived.sort();
            settled.sort();
        }
        assert_eq!(arrived, settled);
    }
}

#[on_each_database]
async fn an_event_has_the_headers_of_the_standard(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.queue_test_event().await;
    test.post().await;
    let seen = test.receiver.seen();
    let [event] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!(event.path, "/hook?token=secret");
    assert_eq!(event.header("content-type"), "application/json");
    assert!(event.id().starts_with("msg_"));
    assert!(event.header("webhook-signature").starts_with("v1,"));
    let now = test.clock.now();
    let seconds = (now.0 / 1_000).to_string();
    assert_eq!(event.header("webhook-timestamp"), seconds);
    let expected = json!({
        "type": "webhook.test",
        "timestamp": now.to_rfc3339(),
        "data": {"app_id": test.app.as_str()},
    });
    assert_eq!(event.json(), expected);
}

#[on_each_database]
async fn who_unsubscribed_meanwhile_is_still_named(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.subscribe(&test.app, 1).await;
    test.deliver(&test.app).await;
    let endpoint = hato_domain::Endpoint::parse("https://push.example/1").expect("an endpoint");
    let now = test.clock.now();
    let gone = test.store.unsubscribe(&test.app, &endpoint, now).await;
    gone.expect("stored");
    // Even when a subscription is kept for no longer than a day, the event keeps it.
    test.advance_clock(Duration::from_hours(48));
    let before = test.clock.now().minus(Duration::from_hours(24));
    for _ in 0..2 {
        let store = &test.store;
        let purged = store
            .purge_deactivated_subscriptions(before, None, 10)
            .await;
        purged.expect("stored");
    }
    test.post().await;
    let results = test.receiver.seen()[0].json()["data"]["results"].clone();
    assert_eq!(results[0]["endpoint"], "https://push.example/1");
}
