//! What happens while the connection for an event is yet to stand.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::Clock as _;
use hato_service::{SealPurpose, Secrets};
use hato_testkit::webhook_receiver::Event;
use hato_testkit::{TestDatabase, on_each_database};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::test_webhooks::{DAY, ENCRYPTION_KEY, TestWebhooks};

/// Forwards connections to the test's receiver, each of them only once it has a permit.
struct ConnectionForwarder {
    url: String,
    permits: Arc<Semaphore>,
    connections: watch::Receiver<usize>,
}

impl ConnectionForwarder {
    async fn start(receiver: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port on loopback");
        let address = listener.local_addr().expect("it is bound");
        let there = url::Url::parse(receiver).expect("a URL");
        let there = ("127.0.0.1", there.port().expect("a port"));
        let permits = Arc::new(Semaphore::new(0));
        let (counter, connections) = watch::channel(0);
        let shared = Arc::clone(&permits);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                counter.send_modify(|count| *count += 1);
                let permits = Arc::clone(&shared);
                tokio::spawn(async move {
                    permits.acquire().await.expect("it is open").forget();
                    let mut far = TcpStream::connect(there).await.expect("it listens");
                    // Whoever closes ends it.
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
        Self {
            url: format!("https://{address}/hook"),
            permits,
            connections,
        }
    }

    /// Resolves once so many connections were opened.
    async fn wait_for_connections(&mut self, count: usize) {
        let reached = self
            .connections
            .wait_for(|connections| *connections >= count)
            .await;
        reached.expect("it listens");
    }
}

/// Makes a new secret, so that there are two.
async fn rotate(test: &TestWebhooks) {
    let secrets = Secrets::new(None, Some(ENCRYPTION_KEY.into()));
    let sealer = secrets.sealer().expect("there is a key");
    let secret = sealer.seal(SealPurpose::SigningSecret, &test.app, &[9; 32]);
    let until = test.clock.now().plus(DAY);
    let rotated = test.store.rotate_secret(&test.app, secret, until).await;
    rotated.expect("stored");
}

#[on_each_database]
async fn the_next_attempt_of_one_at_a_time_waits_for_it_and_is_signed_when_it_begins(
    database: TestDatabase,
) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.per_app = 1;
    test.queue_test_event().await;
    test.post().await;
    let mut forwarder = ConnectionForwarder::start(test.receiver.url()).await;
    test.set_webhook_url(&test.app, &forwarder.url).await;
    test.receiver.take();
    for _ in 0..4 {
        test.queue_test_event().await;
    }
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    forwarder.wait_for_connections(1).await;
    rotate(&test).await;
    let second = timeout(
        Duration::from_millis(1_200),
        forwarder.wait_for_connections(2),
    )
    .await;
    assert!(second.is_err(), "nobody comes while the first one waits");
    forwarder.permits.add_permits(4);
    test.receiver.wait_until(|seen| seen.len() == 4).await;
    shutdown.drain();
    running.await.expect("no panic");

    let seen = test.receiver.seen();
    let ids: Vec<_> = seen.iter().map(Event::id).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let signatures = seen
        .iter()
        .map(|event| event.header("webhook-signature").matches("v1,").count());
    assert_eq!(signatures.collect::<Vec<_>>(), [1, 2, 2, 2]);
}

#[on_each_database]
async fn one_that_fails_lets_the_next_attempt_go(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.response_timeout = Duration::from_millis(200);
    let mut forwarder = ConnectionForwarder::start(test.receiver.url()).await;
    test.set_webhook_url(&test.app, &forwarder.url).await;
    for _ in 0..3 {
        test.queue_test_event().await;
    }
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.sender().run(shutdown.clone()));
    forwarder.wait_for_connections(3).await;
    shutdown.drain();
    running.await.expect("no panic");
    assert!(test.receiver.seen().is_empty());
}
