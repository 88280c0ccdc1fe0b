//! How long a connection may keep the server waiting, on a clock that goes as fast as nothing happens (CONTRACT 18).

use std::future::pending;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::head_timer::ConnectionActivity;
use super::{
    AbortConnection, ConnectionServer, ConnectionSettings, ConnectionTimeouts, MAX_HEAD_BYTES,
    serve,
};

/// What fits between client and server while nobody reads.
const IN_TRANSIT: usize = 1_024;
/// An answer that does not fit between client and server.
const LARGE: usize = 64 * IN_TRANSIT;
/// An answer that is longer than what a system takes in.
const LONG: usize = 16 * 1_024 * 1_024;
/// How long the slow answer takes: longer than any time-out.
const SLOW: Duration = Duration::from_mins(5);

const SMALL_REQUEST: &[u8] = b"GET /small HTTP/1.1\r\nhost: h\r\n\r\n";

/// A connection to a server, which ends when the server has closed it.
struct TestConnection {
    client: DuplexStream,
    served: JoinHandle<()>,
    opened: Instant,
}

impl TestConnection {
    fn open() -> Self {
        let (client, stream) = duplex(IN_TRANSIT);
        let settings = ConnectionSettings::default();
        let server = ConnectionServer::new(router(), CancellationToken::new(), &settings);
        let activity = Arc::new(ConnectionActivity::new(server.timeouts));
        let extensions = server.extensions(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Self {
            client,
            served: tokio::spawn(server.serve(stream, extensions, activity)),
            opened: Instant::now(),
        }
    }

    async fn write(&mut self, bytes: &[u8]) {
        self.client.write_all(bytes).await.expect("it is open");
    }

    /// Writes a request for `ok` and reads the answer, which ends with that.
    async fn exchange(&mut self, request: &[u8]) {
        self.write(request).await;
        let mut answer = Vec::new();
        while !answer.ends_with(b"ok") {
            let read = self.client.read_buf(&mut answer).await;
            assert_ne!(read.expect("it is open"), 0, "{}", answer.escape_ascii());
        }
    }

    /// After how many seconds the server closes it.
    async fn closed(self) -> u64 {
        self.served.await.expect("no panic");
        self.opened.elapsed().as_secs()
    }
}

fn router() -> Router {
    Router::new()
        .route("/small", get(async || "ok"))
        .route("/read", post(async |_: Bytes| "ok"))
        .route("/large", get(async || vec![b'x'; LARGE]))
        .route("/long", get(async || vec![b'x'; LONG]))
        .route(
            "/aborted",
            get(async |Extension(connection): Extension<AbortConnection>| {
                connection.0.cancel();
                pending::<()>().await;
            }),
        )
        .route(
            "/slow",
            get(async || {
                sleep(SLOW).await;
                "ok"
            }),
        )
}

#[tokio::test(start_paused = true)]
async fn the_first_head_is_due_10_seconds_after_the_connection_stands() {
    assert_eq!(TestConnection::open().closed().await, 10);
    let mut late = TestConnection::open();
    sleep(Duration::from_secs(8)).await;
    late.write(b"GET /small HTTP/1.1\r\n").await;
    assert_eq!(late.closed().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_head_is_not_kept_alive_by_its_bytes() {
    let mut slow = TestConnection::open();
    for byte in SMALL_REQUEST.iter().take(9) {
        sleep(Duration::from_secs(1)).await;
        slow.write(&[*byte]).await;
    }
    assert_eq!(slow.closed().await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_later_head_is_due_10_seconds_after_its_first_byte() {
    for first in [
        SMALL_REQUEST,
        b"POST /read HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\nab",
        b"POST /read HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ] {
        let mut connection = TestConnection::open();
        connection.exchange(first).await;
        sleep(Duration::from_secs(70)).await;
        connection.write(b"GET").await;
        assert_eq!(connection.closed().await, 80, "{}", first.escape_ascii());
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_began_with_the_request_before_is_due_10_seconds_after_the_answer() {
    for first in [
        SMALL_REQUEST,
        b"POST /read HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\nab",
        b"POST /read HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ] {
        let mut connection = TestConnection::open();
        connection.exchange(&[first, b"GET /sm"].concat()).await;
        assert_eq!(connection.closed().await, 10, "{}", first.escape_ascii());
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_after_75_seconds() {
    let mut connection = TestConnection::open();
    for _ in 0..3 {
        connection.exchange(SMALL_REQUEST).await;
        sleep(Duration::from_secs(74)).await;
    }
    connection.exchange(SMALL_REQUEST).await;
    assert_eq!(connection.closed().await, 3 * 74 + 75);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_an_answer_is_not_idle() {
    let mut connection = TestConnection::open();
    connection
        .exchange(b"GET /slow HTTP/1.1\r\nhost: h\r\n\r\n")
        .await;
    let waited = SLOW.as_secs();
    assert_eq!(connection.opened.elapsed().as_secs(), waited);
    assert_eq!(connection.closed().await, waited + 75);
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_which_nobody_takes_a_byte_is_given_up_after_30_seconds() {
    let mut connection = TestConnection::open();
    connection
        .write(b"GET /large HTTP/1.1\r\nhost: h\r\n\r\n")
        .await;
    assert_eq!(connection.closed().await, 30);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_taken_slowly_is_taken_to_its_end() {
    let mut connection = TestConnection::open();
    connection
        .write(b"GET /large HTTP/1.1\r\nhost: h\r\n\r\n")
        .await;
    let mut taken = 0;
    while taken < LARGE {
        sleep(Duration::from_secs(29)).await;
        let mut bytes = [0; IN_TRANSIT];
        let read = connection.client.read(&mut bytes).await;
        let read = read.expect("it is open");
        assert_ne!(read, 0, "closed after {taken} bytes");
        taken += read;
    }
    connection.exchange(SMALL_REQUEST).await;
}

/// A server with these settings for its listener.
async fn start(settings: ConnectionSettings) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(serve(
        listener,
        router(),
        CancellationToken::new(),
        settings,
    ));
    address
}

/// A server whose clients have one connection each, and may leave an answer for a second.
async fn impatient_server() -> SocketAddr {
    let hour = Duration::from_hours(1);
    start(ConnectionSettings {
        per_address: NonZeroU32::new(1),
        timeouts: ConnectionTimeouts {
            head: hour,
            write: Duration::from_secs(1),
            idle: hour,
        },
        ..ConnectionSettings::default()
    })
    .await
}

/// Whether a new connection gets an answer, and is not closed because there is one already.
async fn has_room(address: SocketAddr) -> bool {
    let mut stream = TcpStream::connect(address).await.expect("open");
    let mut answer = Vec::new();
    // Either may fail: it is closed unanswered.
    let _ = stream.write_all(SMALL_REQUEST).await;
    let _ = stream.read_buf(&mut answer).await;
    !answer.is_empty()
}

/// A connection that has asked for `path`, and whose end takes in little of the answer by itself.
async fn ask_with_small_buffer(address: SocketAddr, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let mut stream = socket.connect(address).await.expect("open");
    let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n");
    let written = stream.write_all(request.as_bytes()).await;
    written.expect("it is open");
    stream
}

/// The system takes such an answer from the server at once, and holds it for the client.
#[tokio::test]
async fn an_answer_that_the_system_holds_is_given_up_as_well() {
    let address = impatient_server().await;
    let silent = ask_with_small_buffer(address, "/large").await;
    silent.readable().await.expect("an answer");
    assert!(!has_room(address).await);
    let mut ticks = interval(Duration::from_millis(50));
    while !has_room(address).await {
        ticks.tick().await;
    }
}

/// Asks for `path` and reads the answer, or nothing of one that the server has closed.
async fn ask(stream: &mut TcpStream, path: &str) -> Vec<u8> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n");
    let mut answer = Vec::new();
    let _ = stream.write_all(request.as_bytes()).await;
    while !answer.ends_with(b"ok") {
        match stream.read_buf(&mut answer).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    answer
}

#[tokio::test]
async fn who_has_waited_longest_for_a_request_makes_room_and_who_has_one_in_work_does_not() {
    let address = start(ConnectionSettings {
        max: 3,
        ..ConnectionSettings::default()
    })
    .await;
    let open = async || TcpStream::connect(address).await.expect("open");
    // One waits for its answer, one sends its head byte by byte, and one has had an answer.
    let mut busy = open().await;
    let slow = b"GET /slow HTTP/1.1\r\nhost: h\r\n\r\n";
    busy.write_all(slow).await.expect("written");
    let mut trickling = open().await;
    trickling.write_all(b"GET /sm").await.expect("written");
    let mut idle = open().await;
    assert!(ask(&mut idle, "/small").await.ends_with(b"ok"));

    // The third was the last that there is room for: the oldest that waits has gone.
    assert!(ask(&mut trickling, "all").await.is_empty());
    let mut fourth = open().await;
    assert!(ask(&mut fourth, "/small").await.ends_with(b"ok"));
    assert!(ask(&mut idle, "/small").await.is_empty());
    let mut fifth = open().await;
    assert!(ask(&mut fifth, "/small").await.ends_with(b"ok"));
    let mut byte = [0];
    let unanswered = busy.try_read(&mut byte).expect_err("no answer yet");
    assert_eq!(unanswered.kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn who_has_been_at_an_answer_for_longest_makes_room_for_others() {
    let address = start(ConnectionSettings::default()).await;
    let mut slow = ask_with_small_buffer(address, "/long").await;
    slow.readable().await.expect("an answer");
    let mut quick = TcpStream::connect(address).await.expect("open");
    let request = quick.write_all(b"GET /long HTTP/1.1\r\nhost: h\r\n\r\n");
    request.await.expect("it is open");
    let mut whole = Vec::new();
    while whole.len() <= LONG {
        let read = quick.read_buf(&mut whole).await.expect("it is open");
        assert_ne!(read, 0, "it is cut off");
    }
    let mut part = Vec::new();
    // It may be reset.
    let _ = slow.read_to_end(&mut part).await;
    assert!(part.len() < LONG, "it is cut off");
}

#[tokio::test]
async fn a_client_that_sends_on_after_a_head_that_is_refused_reads_the_refusal() {
    let address = start(ConnectionSettings::default()).await;
    let mut stream = TcpStream::connect(address).await.expect("open");
    let target = "a".repeat(MAX_HEAD_BYTES);
    let head = format!("POST /{target} HTTP/1.1\r\nhost: h\r\ncontent-length: {LONG}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("it is open");
    let body = stream.write_all(&vec![b'x'; LONG]).await;
    body.expect("it is taken");
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer).await;
    read.expect("all of it");
    assert!(answer.contains("INVALID_INPUT"), "{answer}");
}

#[tokio::test]
async fn a_handler_can_close_the_connection() {
    let address = start(ConnectionSettings::default()).await;
    let mut stream = TcpStream::connect(address).await.expect("open");
    assert!(ask(&mut stream, "/small").await.ends_with(b"ok"));
    assert!(ask(&mut stream, "/aborted").await.is_empty());
}

#[tokio::test]
async fn an_answer_of_which_a_little_is_taken_now_and_then_is_taken_for_as_long_as_it_lasts() {
    let address = impatient_server().await;
    let mut slow = ask_with_small_buffer(address, "/long").await;
    // Longer than four times what it may leave the answer for.
    let mut ticks = interval(Duration::from_millis(40));
    for tick in 0..100 {
        ticks.tick().await;
        let mut bytes = [0; 4_096];
        let read = slow.read(&mut bytes).await;
        assert!(read.is_ok_and(|bytes| bytes > 0), "closed at {tick}");
    }
}
