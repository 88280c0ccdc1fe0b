//! Endpoints that are no push service, but somebody who would harm the sender: each costs a bounded time and no more.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::PushOptions;
use hato_service::ports::SendStatus;
use hato_testkit::push_service::{BrowserSubscription, PushService, PushServiceOptions};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::test_engine::TestEngine;

/// What a peer answers over HTTP/1.1: a beginning, and something that it repeats for ever.
#[derive(Clone, Copy)]
struct Torrent {
    start: &'static str,
    repeated: &'static str,
    pause: Duration,
}

const AT_ONCE: Duration = Duration::ZERO;
const DRIP: Duration = Duration::from_millis(20);

/// Answers whose head never ends.
const ENDLESS_HEADS: [Torrent; 6] = [
    // One header without an end.
    torrent("HTTP/1.1 201 Created\r\nx: ", "xxxxxxxxxxxxxxxx", AT_ONCE),
    // Headers without an end.
    torrent("HTTP/1.1 201 Created\r\n", "x: y\r\n", AT_ONCE),
    // A head that arrives byte by byte.
    torrent("HTTP/1.1 201 Created\r\n", "x", DRIP),
    // Interim answers without an end.
    torrent("", "HTTP/1.1 100 Continue\r\n\r\n", DRIP),
    // What is no HTTP at all.
    torrent("", "\u{0}\u{1}garbage", AT_ONCE),
    // Nothing but silence.
    torrent("", "", DRIP),
];

/// Answers with a status and a body that never ends.
const ENDLESS_BODIES: [Torrent; 2] = [
    torrent("HTTP/1.1 201 Created\r\n\r\n", "xxxxxxxxxxxxxxxx", AT_ONCE),
    torrent(
        "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n",
        "1\r\nx\r\n",
        DRIP,
    ),
];

const fn torrent(start: &'static str, repeated: &'static str, pause: Duration) -> Torrent {
    Torrent {
        start,
        repeated,
        pause,
    }
}

/// A port behind which somebody answers so.
async fn listen(test: &TestEngine, torrent: Torrent) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let config = test.service.ca().server_config(&["http/1.1"]);
    let acceptor = TlsAcceptor::from(config);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(acceptor.clone(), stream, torrent));
        }
    });
    port
}

/// Goes on until the other side has had enough.
async fn answer(acceptor: TlsAcceptor, stream: TcpStream, torrent: Torrent) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let _ = stream.read(&mut [0; 8_192]).await?;
    stream.write_all(torrent.start.as_bytes()).await?;
    loop {
        stream.write_all(torrent.repeated.as_bytes()).await?;
        tokio::time::sleep(torrent.pause).await;
    }
}

/// Subscribers at all of these.
async fn subscribe(test: &TestEngine, torrents: &[Torrent]) {
    let model = test.service.subscribe(None);
    for torrent in torrents {
        let port = listen(test, *torrent).await;
        let subscription = BrowserSubscription {
            endpoint: format!("https://127.0.0.1:{port}/push/1"),
            ..model.clone()
        };
        test.register(&test.app, &[subscription]).await;
    }
}

#[on_each_database]
async fn a_head_that_never_ends_is_no_answer(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.response_timeout = Duration::from_secs(1);
    subscribe(&test, &ENDLESS_HEADS).await;
    test.deliver().await;
    let all = ENDLESS_HEADS.len();
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), all)]);
}

/// A head with a header of so many bytes, and nothing after it.
fn head_with(bytes: usize) -> Torrent {
    let header = "x".repeat(bytes);
    let head = format!("HTTP/1.1 201 Created\r\nx: {header}\r\ncontent-length: 0\r\n\r\n");
    torrent(head.leak(), "", DRIP)
}

#[on_each_database]
async fn a_head_of_more_than_16_kib_is_no_answer(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    subscribe(&test, &[head_with(15 * 1_024), head_with(17 * 1_024)]).await;
    test.deliver().await;
    assert_eq!(test.queue.log().sent(), 1);
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
}

#[on_each_database]
async fn a_body_that_never_ends_does_not_undo_its_status(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    subscribe(&test, &ENDLESS_BODIES).await;
    assert_eq!(test.deliver().await.counts.sent, 2);
}

/// A push service that answers PINGs and takes no request, with three subscribers of the app (RFC 9113 §5.1.2).
async fn closed(database: TestDatabase) -> TestEngine {
    let options = PushServiceOptions {
        max_concurrent_streams: 0,
        ..PushServiceOptions::default()
    };
    let test = TestEngine::with(database, options).await;
    test.subscribe(3).await;
    test
}

#[on_each_database]
async fn who_allows_no_streams_is_unreachable(database: TestDatabase) {
    let mut test = closed(database).await;
    test.settings.response_timeout = Duration::from_secs(1);
    test.exhaust().await;
    let unreachable = ("unreachable".to_owned(), None, 4);
    let letters = test.dead_letters().await;
    assert_eq!(letters, [(); 3].map(|()| unreachable.clone()));
    assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
}

#[on_each_database]
async fn while_one_allows_no_streams_another_is_served(database: TestDatabase) {
    let test = closed(database).await;
    let options = PushServiceOptions {
        ca: Some(Arc::clone(test.service.ca())),
        ..PushServiceOptions::default()
    };
    let open = PushService::start_with(options).await.expect("a free port");
    let other = test.other_app().await;
    test.subscribe_at(&open, &other, 1).await;
    let kept_waiting = test.send().await;
    test.send_of(&other, PushOptions::default()).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.queue.wait_until(|log| log.sent() == 1).await;
    assert_eq!(test.queue.log().settlements.len(), 1);
    let record = test.record(&test.app, &kept_waiting).await;
    assert_ne!(record.status, SendStatus::Done);
    shutdown.abort();
    running.await.expect("no panic");
}
