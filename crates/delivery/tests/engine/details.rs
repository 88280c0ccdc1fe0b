//! What dead letters say of their failure.

use std::time::Duration;

use hato_testkit::push_service::{BrowserSubscription, ScriptedResponse};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::TcpListener;

use crate::test_engine::TestEngine;
use crate::test_resolver::TestResolver;

/// A subscriber at a host where no push service is.
async fn subscribe_at(test: &TestEngine, host: &str) {
    let elsewhere = BrowserSubscription {
        endpoint: format!("https://{host}/push/1"),
        ..test.service.subscribe(None)
    };
    test.register(&test.app, &[elsewhere]).await;
}

#[on_each_database]
async fn tls_time_out_refusal_and_name_are_told_apart(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.outbound_ca = None;
    test.settings.resolver = TestResolver::new(&[]);
    test.settings.connect_timeout = Duration::from_secs(3);
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let silent = silent.local_addr().expect("an address").to_string();
    test.subscribe(1).await;
    for host in ["127.0.0.1:9", &silent, "nobody.invalid", "dead.example"] {
        subscribe_at(&test, host).await;
    }
    test.exhaust().await;
    let unreachable = ("unreachable".to_owned(), None, 4);
    assert_eq!(test.dead_letters().await, vec![unreachable; 5]);
    let details = test.details().await;
    let expected = ["TLS: ", "name: ", "name: ", "refused: ", "time-out: "];
    for (detail, beginning) in details.iter().zip(expected) {
        assert!(detail.starts_with(beginning), "{details:?}");
    }
    assert_eq!(details[2], "name: there is no such name");
    assert_eq!(details.len(), expected.len(), "{details:?}");
}

#[on_each_database]
async fn a_push_service_that_does_not_answer_is_a_time_out(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.response_timeout = Duration::from_millis(200);
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(1).await;
    test.exhaust().await;
    assert_eq!(test.details().await, ["time-out: no response"]);
}

#[on_each_database]
async fn what_the_push_service_says_is_kept_without_its_secrets(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let subscriptions = test.subscribe(2).await;
    test.service
        .always_respond(&subscriptions[0], ScriptedResponse::Status(413));
    let secret = format!("no \tchannel {}", subscriptions[1].endpoint);
    let header = ScriptedResponse::Header(400, "x-wns-error-description".into(), secret);
    test.service.always_respond(&subscriptions[1], header);
    test.deliver().await;
    let details = test.details().await;
    assert!(details[0].starts_with("errno 104, "), "{details:?}");
    assert!(
        details[1].starts_with("x-wns-error-description: no channel https://127.0.0.1:"),
        "{details:?}"
    );
    assert!(!details[1].contains(&subscriptions[1].id), "{details:?}");
}
