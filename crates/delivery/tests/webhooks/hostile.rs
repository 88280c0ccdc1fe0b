//! Receivers that would harm the sender: each costs a bounded time, and nobody else's events wait for it.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{NoResponseReason, OutboundPolicy, WebhookUrl};
use hato_outbound::{LookupError, Resolver};
use hato_service::ports::{AppChange, WebhookResponse};
use hato_testkit::test_ca::TestCa;
use hato_testkit::webhook_receiver::ReceiverResponse;
use hato_testkit::{TestDatabase, on_each_database};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

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

/// A head that never ends: how it begins, what comes again and again, and how long after the time before.
struct EndlessHead {
    begins: &'static [u8],
    goes_on: Vec<u8>,
    every: Duration,
}

impl EndlessHead {
    /// What is on record of an event that is answered so.
    async fn response(self, test: &TestWebhooks) -> WebhookResponse {
        let (url, answers) = self.start(&test.test_ca).await;
        test.set_webhook_url(&test.app, &url).await;
        test.queue_test_event().await;
        test.post().await;
        assert_eq!(answers.load(Ordering::Relaxed), 1);
        test.attempts().await.swap_remove(0).response
    }

    /// Answers every request so; the URL, and how often it has begun.
    async fn start(self, ca: &TestCa) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let acceptor = TlsAcceptor::from(ca.server_config(&["http/1.1"]));
        let (head, answers) = (Arc::new(self), Arc::<AtomicUsize>::default());
        let begun = Arc::clone(&answers);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, head) = (acceptor.clone(), Arc::clone(&head));
                let begun = Arc::clone(&begun);
                tokio::spawn(async move {
                    let stream = acceptor.accept(stream).await.expect("it trusts us");
                    head.answer(stream, &begun).await;
                });
            }
        });
        (format!("https://{address}/hook"), answers)
    }

    /// Until nobody listens any more.
    async fn answer(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin, begun: &AtomicUsize) {
        let mut request = [0; 1_024];
        let asked = stream.read(&mut request).await;
        assert_ne!(asked.expect("a request"), 0);
        begun.fetch_add(1, Ordering::Relaxed);
        let mut bytes = self.begins;
        while stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok() {
            bytes = &self.goes_on;
            sleep(self.every).await;
        }
    }
}

/// Long before its time is up.
#[on_each_database]
async fn a_head_that_grows_without_an_end_is_not_read_for_long(database: TestDatabase) {
    let heads = [
        EndlessHead {
            begins: b"HTTP/1.1 200 OK\r\n",
            goes_on: b"x: y\r\n".repeat(1_000),
            every: Duration::ZERO,
        },
        EndlessHead {
            begins: b"HTTP/1.1 200 OK\r\nx: ",
            goes_on: vec![b'a'; 6_000],
            every: Duration::ZERO,
        },
    ];
    let test = TestWebhooks::new(database).await;
    for head in heads {
        let unreadable = WebhookResponse::NotReceived(NoResponseReason::Unreachable);
        assert_eq!(head.response(&test).await, unreadable);
    }
}

#[on_each_database]
async fn a_head_that_never_ends_is_given_up(database: TestDatabase) {
    let heads = [
        EndlessHead {
            begins: b"HTTP/1.1 200 OK\r\nx: ",
            goes_on: b"a".to_vec(),
            every: Duration::from_millis(10),
        },
        EndlessHead {
            begins: b"HTTP/1.1 103 Early Hints\r\n\r\n",
            goes_on: b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(),
            every: Duration::from_millis(1),
        },
    ];
    let mut test = TestWebhooks::new(database).await;
    test.settings.response_timeout = Duration::from_secs(2);
    for head in heads {
        let timed_out = WebhookResponse::NotReceived(NoResponseReason::TimedOut);
        assert_eq!(head.response(&test).await, timed_out);
    }
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
