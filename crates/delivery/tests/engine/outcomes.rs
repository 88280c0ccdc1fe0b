//! What each answer of a push service leads to, over HTTP/2 and HTTP/1.1.

use std::time::Duration;

use hato_domain::{OutboundPolicy, PushHosts, PushOptions, Topic, Ttl, Urgency};
use hato_service::ports::{FailureTally, SendCounts, SendStatus};
use hato_testkit::push_service::{PushServiceOptions, ScriptedResponse};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{PAYLOAD, TestEngine, http1};
use crate::test_resolver::TestResolver;

#[on_each_database]
async fn a_message_arrives_as_it_was_accepted(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let send = test.send_with(PushOptions {
        ttl: Ttl::parse(60).expect("a TTL"),
        urgency: Some(Urgency::High),
        topic: Some(Topic::parse("news").expect("a topic")),
    });
    let send = send.await;
    test.run_until_idle().await;
    let message = test.service.seen(|seen| seen.messages[0].clone());
    assert_eq!(message.plaintext.as_deref(), Some(PAYLOAD.as_bytes()));
    assert_eq!(
        (message.ttl, message.urgency.as_deref()),
        (60, Some("high"))
    );
    assert_eq!(message.topic.as_deref(), Some("news"));
    assert_eq!(message.http_version, "HTTP/2.0");
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 1));
    test.service.assert_no_violations();
}

/// Every answer but a reset, which takes down an HTTP/2 connection with all that is on it.
async fn every_answer_has_its_outcome(
    database: TestDatabase,
    options: PushServiceOptions,
    version: &str,
) {
    let mut test = TestEngine::with(database, options).await;
    test.settings.response_timeout = Duration::from_secs(4);
    let answers = [
        ScriptedResponse::Created,
        ScriptedResponse::Status(200),
        ScriptedResponse::Endless,
        ScriptedResponse::Status(404),
        ScriptedResponse::Status(410),
        ScriptedResponse::RetryAfter(429, "120".into()),
        ScriptedResponse::RetryAfter(503, "2".into()),
        ScriptedResponse::Status(500),
        ScriptedResponse::Hang,
        ScriptedResponse::Redirect,
        ScriptedResponse::Status(413),
    ];
    let subscriptions = test.subscribe(answers.len()).await;
    for (subscription, answer) in subscriptions.iter().zip(answers) {
        test.service.always_respond(subscription, answer);
    }
    let record = test.deliver().await;

    let expected = SendCounts {
        sent: 3,
        failed_expired: 2,
        failed_other: 2,
        ..SendCounts::default()
    };
    assert_eq!(
        (record.status, record.counts),
        (SendStatus::Sending, expected)
    );
    let refused = |status| ("refused".to_owned(), Some(status), 1);
    assert_eq!(test.dead_letters().await, [refused(307), refused(413)]);
    let log = test.queue.log();
    assert_eq!(
        log.retries(),
        [(1, test.after(5), 3), (1, test.after(120), 1)]
    );
    let tally = |reason| FailureTally {
        host: "127.0.0.1".into(),
        reason,
        recipients: 2,
    };
    assert_eq!(
        log.settlements[0].tallies,
        [tally("expired"), tally("refused")]
    );
    test.service.seen(|seen| {
        assert_eq!(seen.total.requests, 11, "nobody is asked twice");
        let versions = seen.messages.iter().map(|message| &message.http_version);
        assert!(versions.into_iter().all(|it| it == version));
    });
    test.service.assert_no_violations();
}

#[on_each_database]
async fn every_answer_has_its_outcome_over_http2(database: TestDatabase) {
    every_answer_has_its_outcome(database, PushServiceOptions::default(), "HTTP/2.0").await;
}

#[on_each_database]
async fn every_answer_has_its_outcome_over_http1(database: TestDatabase) {
    every_answer_has_its_outcome(database, http1(), "HTTP/1.1").await;
}

#[on_each_database]
async fn who_is_gone_is_left_out_of_the_next_send(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let subscriptions = test.subscribe(3).await;
    test.service
        .always_respond(&subscriptions[1], ScriptedResponse::Status(404));
    assert_eq!(test.deliver().await.recipients, 3);
    assert_eq!(test.deliver().await.recipients, 2);
    let asked = test
        .service
        .seen(|seen| seen.counts(&subscriptions[1].id).requests);
    assert_eq!(asked, 1);
}

#[on_each_database]
async fn a_private_address_is_not_even_connected_to(database: TestDatabase) {
    for host in ["127.0.0.1", "localhost"] {
        let options = PushServiceOptions {
            host: host.into(),
            ..PushServiceOptions::default()
        };
        let mut test = TestEngine::with(database.another().await, options).await;
        test.settings.outbound = OutboundPolicy::parse("10.0.0.0/8").expect("a CIDR list");
        test.subscribe(3).await;
        test.deliver().await;
        let blocked = ("blocked_address".to_owned(), None, 0);
        assert_eq!(
            test.dead_letters().await,
            [blocked.clone(), blocked.clone(), blocked],
            "{host}"
        );
        assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
    }
}

#[on_each_database]
async fn a_name_that_has_a_private_address_besides_a_public_one_is_not_connected_to(
    database: TestDatabase,
) {
    let options = PushServiceOptions {
        host: "push.test".into(),
        ..PushServiceOptions::default()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.outbound = OutboundPolicy::default();
    test.settings.resolver = TestResolver::new(&[("push.test", &["1.1.1.1", "127.0.0.1"])]);
    // Whoever connects all the same reaches nobody.
    test.settings.connect_timeout = Duration::ZERO;
    test.subscribe(1).await;
    test.deliver().await;
    let blocked = ("blocked_address".to_owned(), None, 0);
    assert_eq!(test.dead_letters().await, [blocked]);
}

/// An engine whose push service is under notify.windows.com.
async fn microsofts(database: TestDatabase) -> TestEngine {
    let host = "wns2-test.notify.windows.com";
    let options = PushServiceOptions {
        host: host.into(),
        ..PushServiceOptions::default()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.resolver = TestResolver::new(&[(host, &["127.0.0.1"])]);
    test
}

#[on_each_database]
async fn microsofts_406_asks_for_fewer_requests(database: TestDatabase) {
    let test = microsofts(database).await;
    test.subscribe(1).await;
    test.service
        .script_any([ScriptedResponse::RetryAfter(406, "120".into())]);
    test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(120), 1)]);
    test.advance_clock(Duration::from_mins(2));
    test.run_until_idle().await;
    assert_eq!(test.queue.log().sent(), 1);
}

#[on_each_database]
async fn what_microsoft_took_and_dropped_has_failed_at_once(database: TestDatabase) {
    let dropped = |value: &str| {
        let name = "x-wns-notificationstatus";
        ScriptedResponse::Header(201, name.into(), value.into())
    };
    let elsewhere = database.another().await;
    let test = microsofts(database).await;
    test.subscribe(2).await;
    test.service
        .script_any([dropped("dropped"), dropped("received")]);
    let record = test.deliver().await;
    assert_eq!((record.counts.sent, record.counts.failed_other), (1, 1));
    let letter = ("dropped".to_owned(), Some(201), 1);
    assert_eq!(test.dead_letters().await, [letter]);
    let said = "x-wns-notificationstatus: dropped";
    assert_eq!(test.details().await, [said]);

    let elsewhere = TestEngine::new(elsewhere).await;
    elsewhere.subscribe(1).await;
    elsewhere.service.script_any([dropped("dropped")]);
    assert_eq!(elsewhere.deliver().await.counts.sent, 1);
}

#[on_each_database]
async fn a_push_service_that_the_operator_does_not_name_is_not_even_connected_to(
    database: TestDatabase,
) {
    let options = PushServiceOptions {
        host: "localhost".into(),
        ..PushServiceOptions::default()
    };
    let mut test = TestEngine::with(database, options).await;
    test.settings.push_hosts = PushHosts::parse("push.example").expect("a name");
    test.subscribe(2).await;
    test.deliver().await;
    let blocked = ("blocked_address".to_owned(), None, 0);
    assert_eq!(test.dead_letters().await, [blocked.clone(), blocked]);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
    test.settings.push_hosts = PushHosts::parse("localhost").expect("a name");
    assert_eq!(test.deliver().await.counts.sent, 2);
}

#[on_each_database]
async fn a_name_is_reached_through_an_allowed_address(database: TestDatabase) {
    let options = PushServiceOptions {
        host: "localhost".into(),
        ..PushServiceOptions::default()
    };
    let test = TestEngine::with(database, options).await;
    test.subscribe(3).await;
    assert_eq!(test.deliver().await.counts.sent, 3);
    test.service.assert_no_violations();
}

#[on_each_database]
async fn an_untrusted_push_service_is_unreachable(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.outbound_ca = None;
    test.subscribe(3).await;
    test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 3)]);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
}
