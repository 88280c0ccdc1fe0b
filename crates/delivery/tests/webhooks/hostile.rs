//! Receivers that would harm the sender: each costs a bounded time, and nobody else's events wait for it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{NoResponseReason, OutboundPolicy, WebhookUrl};
use hato_outbound::{LookupError, Resolver};
use hato_service::ports::{AppChange, WebhookResponse};
use hato_testkit::webhook_receiver::ReceiverResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_webhooks::TestWebhooks;

#[on_each_database]
async fn one_that_hangs_is_given_up(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.response_timeout = Duration::from_millis(200);
    test.receiver.script([ReceiverResponse::Hang]);
    test.queue_test_event().await;
    test.post().await;
    let attempts = test.attempts().await;
    let timed_out = WebhookResponse::NotReceived(NoResponseReason::TimedOut);
    assert_eq!(attempts[0].response, timed_out);
    assert!(attempts[0].duration >= Duration::from_millis(200));
    assert!(attempts[0].next_at.is_some());
}

#[on_each_database]
async fn of_one_that_streams_the_beginning_is_kept(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    test.receiver.script([ReceiverResponse::Stream]);
    test.queue_test_event().await;
    test.post().await;
    let WebhookResponse::Received { status, text } = &test.attempts().await[0].response else {
        panic!("an answer");
    };
    assert_eq!((*status, text.len()), (200, 1_024));
}

#[on_each_database]
async fn what_it_answers_is_kept_as_text(database: TestDatabase) {
    let test = TestWebhooks::new(database).await;
    let answer = format!("{}鳩", "x".repeat(1_022));
    test.receiver.script([ReceiverResponse::Text(200, answer)]);
    test.queue_test_event().await;
    test.post().await;
    let WebhookResponse::Received { text, .. } = &test.attempts().await[0].response else {
        panic!("an answer");
    };
    assert_eq!(*text, format!("{}\u{fffd}", "x".repeat(1_022)));
}

#[on_each_database]
async fn addresses_of_the_operators_network_are_not_connected_to(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    let port = test.receiver.url().split(':').next_back().expect("a port");
    for host in ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"] {
        let url = format!("https://{host}:{port}");
        let open = OutboundPolicy::parse("127.0.0.0/8,::/0").expect("a CIDR list");
        let url = WebhookUrl::parse(&url, &open).expect("a URL");
        test.settings.outbound = OutboundPolicy::default();
        let set = test
            .store
            .change_app(&test.app, AppChange::from_webhook(Some(url)))
            .await;
        set.expect("stored");
        test.queue_test_event().await;
        test.post().await;
        let blocked = WebhookResponse::NotReceived(NoResponseReason::BlockedAddress);
        assert_eq!(test.attempts().await[0].response, blocked, "{host}");
    }
    assert_eq!(test.receiver.seen().len(), 0);
}

/// Says that every name has a public address and one of this machine's.
#[derive(Debug)]
struct MixedAddresses;

#[async_trait]
impl Resolver for MixedAddresses {
    async fn addresses(&self, _: &str) -> Result<Vec<IpAddr>, LookupError> {
        let addresses = ["1.1.1.1", "127.0.0.1"];
        Ok(addresses.map(|it| it.parse().expect("an address")).to_vec())
    }
}

#[on_each_database]
async fn one_whose_name_has_a_private_address_besides_a_public_one_is_not_connected_to(
    database: TestDatabase,
) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.outbound = OutboundPolicy::default();
    test.settings.resolver = Arc::new(MixedAddresses);
    // Whoever connects all the same reaches nobody.
    test.settings.response_timeout = Duration::from_millis(200);
    test.set_webhook_url(&test.app, "https://push.test/hook")
        .await;
    test.queue_test_event().await;
    test.post().await;
    let blocked = WebhookResponse::NotReceived(NoResponseReason::BlockedAddress);
    assert_eq!(test.attempts().await[0].response, blocked);
}
