//! What a process has room for: connections, requests and bodies (CONTRACT 2, 18).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::fixtures::{BINARY, app, get, post, send, start, status_and_code, subscribe};
use crate::held_requests::hold_requests;

/// How long the server may take to notice what has changed.
const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

/// A server behind a proxy, an app on it, and a key of that.
async fn behind_a_proxy(database: TestDatabase) -> (HatoServer, OwnedApp, String) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = start(launch.env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    let key = app.owner.create_key(&app.id, "held", "notify").await;
    (server, app, key.expect("a key"))
}

async fn get_from(client: &Client, address: &str, path: &str) -> Reply {
    let headers = [
        ("x-forwarded-for", address),
        ("origin", "https://shop.example"),
    ];
    send(client, Method::GET, path, &headers, "").await
}

fn is_overloaded(reply: &Reply) -> bool {
    let overloaded = status_and_code(reply) == (503, "OVERLOADED".into());
    assert_eq!(
        reply.header("retry-after"),
        overloaded.then_some("5"),
        "{reply}"
    );
    overloaded
}

/// Asks until the answer is that there is room, or that there is none.
async fn wait_until_overloaded(overloaded: bool, ask: impl AsyncFn() -> Reply) {
    let asking = async {
        let mut ticks = interval(Duration::from_millis(20));
        while is_overloaded(&ask().await) != overloaded {
            ticks.tick().await;
        }
    };
    let in_time = timeout(WAIT_TIMEOUT, asking).await.is_ok();
    assert!(in_time, "overloaded: {}", !overloaded);
}

#[on_each_database]
async fn a_client_has_a_hundred_requests_in_work_wherever_they_come_in(database: TestDatabase) {
    let (server, app, key) = behind_a_proxy(database).await;
    let held = hold_requests(&server, &key, 100, Some("2001:db8::1")).await;
    let path = "/api/v1/vapid-public-key";
    for path in [
        path,
        "/api/v1/nothing",
        "/auth/session",
        "/",
        "/sdk/hato.js",
    ] {
        let refused = get_from(&app.frontend, "2001:db8::2", path).await;
        assert!(is_overloaded(&refused), "{path}: {refused}");
        assert!(refused.header("x-request-id").is_some());
    }
    let refused = get_from(&app.frontend, "2001:db8::2", path).await;
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
    let from = [("x-forwarded-for", "2001:db8::2")];
    let report = send(&app.frontend, Method::POST, "/api/v1/events", &from, "{}").await;
    assert_eq!(report.status, 204, "{report}");
    let tool = post(&app.admin, "/mcp", &json!({})).await;
    assert!(!is_overloaded(&tool), "the proxy itself has none in work");
    let health = get_from(&app.frontend, "2001:db8::2", "/healthz").await;
    assert_eq!(health.status, 200);
    let neighbour = get_from(&app.frontend, "2001:db8:0:1::1", path).await;
    assert_eq!(neighbour.status, 200, "{neighbour}");

    drop(held);
    wait_until_overloaded(false, async || {
        get_from(&app.frontend, "2001:db8::2", path).await
    })
    .await;
}

/// A report that is never whole, of a client behind the proxy.
const HALF_A_REPORT: &str = "POST /api/v1/events HTTP/1.1\r\nhost: h\r\nx-forwarded-for: 2001:db8::1\r\ncontent-length: 10\r\n\r\n{";

#[tokio::test]
async fn a_client_has_a_hundred_reports_in_work_and_no_further_one_is_read() {
    let (server, app, _) = behind_a_proxy(TestDatabase::sqlite().await).await;
    let mut reading = JoinSet::new();
    for _ in 0..=100 {
        let mut stream = TcpStream::connect(server.address()).await.expect("open");
        reading.spawn(async move {
            let written = stream.write_all(HALF_A_REPORT.as_bytes()).await;
            written.expect("it is taken");
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.expect("an answer");
            (answer, stream)
        });
    }
    // The others have 30 s to go on.
    let first = timeout(WAIT_TIMEOUT / 4, reading.join_next()).await;
    let (answer, _) = first.expect("one is not read").expect("one").expect("read");
    assert_eq!(&answer, b"HTTP/1.1 204");
    assert!(
        reading.try_join_next().is_none(),
        "the others are waited for"
    );
    let page = get_from(&app.frontend, "2001:db8::1", "/pricing").await;
    assert_eq!(page.status, 200, "they are none of the other requests");
}

#[on_each_database]
async fn whoever_listens_to_events_may_ask_for_everything_else(database: TestDatabase) {
    let (server, app, key) = behind_a_proxy(database).await;
    subscribe(&app, 1).await;
    let accepted = post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await;
    let accepted = accepted.json();
    let id = accepted["send_id"].as_str().expect("an id");
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let request = format!(
        "GET /apps/{}/sends/{id}/events HTTP/1.1\r\nhost: h\r\nx-forwarded-for: 192.0.2.1\r\n\
         cookie: hato_session={}\r\n\r\n",
        app.id,
        session.expect("a session")
    );
    let mut listening = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(server.address()).await.expect("open");
        stream.write_all(request.as_bytes()).await.expect("asked");
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("data: <section") {
            let read = stream.read_buf(&mut seen).await.expect("an answer");
            assert_ne!(read, 0, "{}", seen.escape_ascii());
        }
        listening.push(stream);
    }
    let held = hold_requests(&server, &key, 100, Some("192.0.2.1")).await;
    assert_eq!(held.len(), 100);
}

/// What the server answers to a request whose body lacks its last byte.
async fn answer_to_unfinished(address: SocketAddr, head: String) -> String {
    let mut stream = TcpStream::connect(address).await.expect("open");
    stream.write_all(head.as_bytes()).await.expect("written");
    let body = vec![b' '; 256 * 1024 - 1];
    stream.write_all(&body).await.expect("written");
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        let read = stream.read_buf(&mut answer).await.expect("an answer");
        assert_ne!(read, 0, "{}", answer.escape_ascii());
    }
    String::from_utf8(answer).expect("text")
}

/// The head of a send of 256 KiB by the client that a proxy names.
fn large_send(key: &str, client: &str) -> String {
    format!(
        "POST /api/v1/notify HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n\
         x-forwarded-for: {client}\r\ncontent-length: 262144\r\n\r\n"
    )
}

fn assert_no_room(refused: &str) {
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    for part in ["\r\nretry-after: 5\r\n", "\"code\":\"OVERLOADED\""] {
        assert!(refused.contains(part), "{refused}");
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn bodies_have_room_for_26_mib_together(database: TestDatabase) {
    let (server, app, key) = behind_a_proxy(database).await;
    let mut unfinished = JoinSet::new();
    // One more than there is room for, each of a client of its own.
    for number in 0..105 {
        let client = format!("192.0.2.{number}");
        let head = large_send(&key, &client);
        unfinished.spawn(answer_to_unfinished(server.address(), head));
    }
    let refused = unfinished.join_next().await.expect("one of them");
    assert_no_room(&refused.expect("an answer"));
    // What needs no body is answered.
    assert_eq!(get(&app.owner, "/api/v1/apps").await.status, 200);
    unfinished.shutdown().await;
    wait_until_overloaded(false, async || {
        let message = json!({"title": "t", "body": "b".repeat(1_000)});
        post(&app.backend, "/api/v1/notify", &message).await
    })
    .await;
}

#[on_each_database(flavor = "multi_thread")]
async fn clients_that_hold_what_they_can_leave_room_for_the_next(database: TestDatabase) {
    let (server, app, key) = behind_a_proxy(database).await;
    let (mut unfinished, mut eager) = (JoinSet::new(), HashSet::new());
    for number in 0..4 {
        let of_one_site = format!("2001:db8:0:{number}::1");
        for client in [format!("192.0.2.{number}"), of_one_site] {
            // As many as it may have in work.
            for _ in 0..100 {
                let head = large_send(&key, &client);
                let (address, client) = (server.address(), client.clone());
                unfinished
                    .spawn(async move { (client, answer_to_unfinished(address, head).await) });
            }
            eager.insert(client);
        }
    }
    while !eager.is_empty() {
        let refused = unfinished.join_next().await.expect("one of them");
        let (client, refused) = refused.expect("an answer");
        assert_no_room(&refused);
        eager.remove(&client);
    }
    let message = json!({"title": "t", "body": "b".repeat(1_000)});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    unfinished.shutdown().await;
}

/// A connection from this address of the machine.
async fn connect_from(source: &str, server: &HatoServer) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let source = format!("{source}:0").parse().expect("an address");
    socket.bind(source).expect("a port");
    socket.connect(server.address()).await.expect("open")
}

/// Whether a request on it is answered, and not closed unanswered.
async fn is_answered(stream: &mut TcpStream) -> bool {
    let request = b"GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n";
    let mut answer = Vec::new();
    if stream.write_all(request).await.is_err() {
        return false;
    }
    while !answer.ends_with(b"ok") {
        match stream.read_buf(&mut answer).await {
            Ok(0) | Err(_) => {
                assert!(answer.is_empty(), "{}", answer.escape_ascii());
                return false;
            }
            Ok(_) => {}
        }
    }
    true
}

#[tokio::test]
async fn an_address_has_so_many_connections_and_the_next_is_closed_unanswered() {
    let server = start(ServerLaunch::new(BINARY).env("HATO_CONNECTIONS_PER_ADDRESS", "3")).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = connect_from("127.0.0.2", &server).await;
        assert!(is_answered(&mut stream).await);
        open.push(stream);
    }
    for _ in 0..3 {
        assert!(!is_answered(&mut connect_from("127.0.0.2", &server).await).await);
    }
    assert!(is_answered(&mut open[0]).await, "those that are open stay");
    assert!(is_answered(&mut connect_from("127.0.0.3", &server).await).await);
    open.pop();
    let mut ticks = interval(Duration::from_millis(20));
    let room = async {
        while !is_answered(&mut connect_from("127.0.0.2", &server).await).await {
            ticks.tick().await;
        }
    };
    timeout(WAIT_TIMEOUT, room)
        .await
        .expect("there is room again");
}

#[tokio::test]
async fn a_trusted_proxy_and_a_server_without_the_limit_have_any_number_of_connections() {
    let limited = ServerLaunch::new(BINARY).env("HATO_CONNECTIONS_PER_ADDRESS", "3");
    let unlimited = ServerLaunch::new(BINARY).env("HATO_CONNECTIONS_PER_ADDRESS", "0");
    for launch in [limited.env("HATO_TRUSTED_PROXIES", "127.0.0.2"), unlimited] {
        let server = start(launch).await;
        let mut open = Vec::new();
        for _ in 0..220 {
            let mut stream = connect_from("127.0.0.2", &server).await;
            assert!(is_answered(&mut stream).await);
            open.push(stream);
        }
    }
}
