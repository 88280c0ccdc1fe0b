//! What each answer of a push service leads to, over HTTP/2 and HTTP/1.1.

use std::collections::BTreeSet;
use std::time::Duration;

use hato_domain::{FailureReason, OutboundPolicy, Topic, Ttl, Urgency};
use hato_service::ports::Clock as _;
use hato_testkit::push_service::{Answer, Options};

use crate::queue::PAYLOAD;
use crate::world::{World, http1};

#[tokio::test]
async fn a_message_arrives_as_it_was_accepted() {
    let world = World::new().await;
    let subscriptions = world.subscribe(1);
    let mut send = world.content();
    send.ttl = Ttl::parse(60).expect("a TTL");
    send.urgency = Some(Urgency::High);
    send.topic = Some(Topic::parse("news").expect("a topic"));
    world.accept(send, &subscriptions);
    world
        .engine()
        .run_until_idle()
        .await
        .expect("the queue answers");
    let message = world.service.seen(|seen| seen.messages[0].clone());
    assert_eq!(message.plaintext.as_deref(), Some(PAYLOAD.as_bytes()));
    assert_eq!(
        (message.ttl, message.urgency.as_deref()),
        (60, Some("high"))
    );
    assert_eq!(message.topic.as_deref(), Some("news"));
    assert_eq!(message.http_version, "HTTP/2.0");
    assert_eq!(world.queue.ledger().sent(), 1);
    world.service.assert_no_violations();
}

/// Every answer but a reset, which takes down an HTTP/2 connection with all that is on it.
async fn every_answer_has_its_outcome(options: Options, version: &str) {
    let mut world = World::with(options).await;
    world.settings.answer_timeout = Duration::from_secs(4);
    let answers = [
        Answer::Created,
        Answer::Status(200),
        Answer::Endless,
        Answer::Status(404),
        Answer::Status(410),
        Answer::RetryAfter(429, "120".into()),
        Answer::RetryAfter(503, "2".into()),
        Answer::Status(500),
        Answer::Hang,
        Answer::Redirect,
        Answer::Status(413),
    ];
    let subscriptions = world.subscribe(answers.len());
    for (subscription, answer) in subscriptions.iter().zip(answers) {
        world.service.answer_always(subscription, answer);
    }
    world.deliver(&subscriptions).await;

    let now = world.clock.now();
    let ledger = world.queue.ledger();
    assert_eq!(ledger.settlements.len(), 1);
    assert_eq!(ledger.sent(), 3);
    assert_eq!(
        BTreeSet::from_iter(ledger.expired()),
        BTreeSet::from([404, 410])
    );
    let refused = |status| (FailureReason::Refused, Some(status));
    assert_eq!(ledger.dead_letters(), [refused(307), refused(413)]);
    let after = |seconds| now.plus(Duration::from_secs(seconds));
    assert_eq!(ledger.queued(), [(1, after(5), 3), (1, after(120), 1)]);
    world.service.seen(|seen| {
        assert_eq!(seen.total.requests, 11, "nobody is asked twice");
        assert!(
            seen.messages
                .iter()
                .all(|message| message.http_version == version)
        );
    });
    world.service.assert_no_violations();
}

#[tokio::test]
async fn every_answer_has_its_outcome_over_http2() {
    every_answer_has_its_outcome(Options::default(), "HTTP/2.0").await;
}

#[tokio::test]
async fn every_answer_has_its_outcome_over_http1() {
    every_answer_has_its_outcome(http1(), "HTTP/1.1").await;
}

#[tokio::test]
async fn a_private_address_is_not_even_connected_to() {
    for host in ["127.0.0.1", "localhost"] {
        let options = Options {
            host: host.into(),
            ..Options::default()
        };
        let mut world = World::with(options).await;
        world.settings.outbound = OutboundPolicy::parse("10.0.0.0/8").expect("a CIDR list");
        world.deliver(&world.subscribe(3)).await;
        let blocked = (FailureReason::BlockedAddress, None);
        assert_eq!(world.queue.ledger().dead_letters(), [blocked; 3], "{host}");
        assert_eq!(world.service.seen(|seen| seen.total.requests), 0);
    }
}

#[tokio::test]
async fn a_name_is_reached_through_an_allowed_address() {
    let options = Options {
        host: "localhost".into(),
        ..Options::default()
    };
    let world = World::with(options).await;
    world.deliver(&world.subscribe(3)).await;
    assert_eq!(world.queue.ledger().sent(), 3);
    world.service.assert_no_violations();
}

#[tokio::test]
async fn an_untrusted_push_service_is_unreachable() {
    let mut world = World::new().await;
    world.settings.outbound_ca = None;
    world.deliver(&world.subscribe(3)).await;
    let ledger = world.queue.ledger();
    let due_at = world.clock.now().plus(Duration::from_secs(5));
    assert_eq!(ledger.queued(), [(1, due_at, 3)]);
    assert_eq!(world.service.seen(|seen| seen.total.requests), 0);
}
