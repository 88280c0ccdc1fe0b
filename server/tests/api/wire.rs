//! Requests that break the rules of HTTP itself: they are refused in time, and the server goes on.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use hato_testkit::owner::OwnedApp;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};

use crate::fixtures::{BINARY, setup, snapshot, start};

/// The server answers these at once; a hang would last until its own time-outs of 30 s and more.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// Everything that the server answers to these bytes until it closes the connection. `done` tells it that no more will come.
fn exchange(address: SocketAddr, bytes: &[u8], done: bool) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream
        .set_read_timeout(Some(READ_TIMEOUT))
        .expect("a time-out");
    // It may have refused the rest already.
    let _ = stream.write_all(bytes);
    if done {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!(
                "no end of the answer to {}: {}",
                bytes.escape_ascii(),
                answer.escape_ascii()
            )
        }
        _ => String::from_utf8_lossy(&answer).into_owned(),
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

async fn raw_key(app: &OwnedApp) -> String {
    app.owner
        .create_key(&app.id, "raw", "full")
        .await
        .expect("a key")
}

#[on_each_database(flavor = "multi_thread")]
async fn a_body_shorter_than_announced_is_refused(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let key = raw_key(&app).await;
    let before = snapshot(&app).await;
    for head in ["content-length: 1000", "transfer-encoding: chunked"] {
        let request = format!(
            "POST /api/v1/notify HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n{head}\r\n\r\n1f\r\n{{\"title\":\"t\",\"body\":\"b\"}}"
        );
        let answer = exchange(server.address(), request.as_bytes(), true);
        assert!(
            answer.is_empty() || status(&answer) == "400",
            "{head}: {answer}"
        );
        if !answer.is_empty() {
            assert!(
                answer.contains("INVALID_INPUT") && answer.contains("x-request-id"),
                "{answer}"
            );
        }
    }
    assert_eq!(snapshot(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_told_to_stay_with_https_where_it_is_served() {
    for (base_url, expected) in [
        ("https://push.example", true),
        ("http://localhost:3000", false),
    ] {
        let server = start(ServerLaunch::new(BINARY).env("HATO_BASE_URL", base_url)).await;
        let answer = exchange(server.address(), b"no HTTP\r\n\r\n", false);
        assert_eq!(status(&answer), "400", "{answer}");
        let header = "\r\nstrict-transport-security: max-age=31536000\r\n";
        assert_eq!(answer.contains(header), expected, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_tell_its_size_is_read_up_to_256_kib() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let key = raw_key(&app).await;
    let before = snapshot(&app).await;
    for (chunks, code) in [(4, "MISSING_FIELDS"), (5, "PAYLOAD_TOO_LARGE")] {
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
        let request = format!(
            "POST /api/v1/notify HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n\r\n{}0\r\n\r\n",
            chunk.repeat(chunks)
        );
        let answer = exchange(server.address(), request.as_bytes(), false);
        assert!(answer.contains(code), "{chunks}: {answer}");
    }
    assert_eq!(snapshot(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_follows_a_body_is_no_part_of_it() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let key = raw_key(&app).await;
    let before = snapshot(&app).await;
    let request = format!(
        "POST /api/v1/notify HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\ncontent-length: 5\r\n\r\n{{\"title\":\"t\",\"body\":\"b\"}}"
    );
    let answer = exchange(server.address(), request.as_bytes(), true);
    assert_eq!(status(&answer), "400", "{answer}");
    assert!(answer.contains("INVALID_INPUT"), "{answer}");
    assert_eq!(snapshot(&app).await, before);
}

/// What [`exchange`] reads ends before its time-out only if the server closes the connection.
#[tokio::test(flavor = "multi_thread")]
async fn half_a_head_is_not_waited_for() {
    let (server, _) = setup(TestDatabase::sqlite().await).await;
    let address = server.address();
    let whole = "GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n";
    let halves = ["", "GET /healthz HTTP/1.1\r\nhost: h\r\n"];
    let after_another = halves[1..].iter().map(|half| format!("{whole}{half}"));
    let requests = halves.map(str::to_owned).into_iter().chain(after_another);
    let cut = requests.map(|request| {
        tokio::task::spawn_blocking(move || exchange(address, request.as_bytes(), false))
    });
    for (answer, status_line) in cut
        .collect::<Vec<_>>()
        .into_iter()
        .zip(["", "", "HTTP/1.1 200"])
    {
        let answer = answer.await.expect("it is closed");
        assert!(answer.starts_with(status_line), "{answer}");
        assert_eq!(answer.is_empty(), status_line.is_empty(), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_refused_and_forgotten() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let before = snapshot(&app).await;
    let long = |count: usize| "a".repeat(count);
    let requests = [
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET /api/v1/apps HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /api/v1/apps/\xff HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n".to_vec(),
        b"GET /api/v1/apps HTTP/1.1\r\nhost: h\r\na\0b: c\r\nconnection: close\r\n\r\n".to_vec(),
        b"GET /api/v1/apps HTTP/1.1\r\nhost: h\r\na: b\0c\r\nconnection: close\r\n\r\n".to_vec(),
        b"POST /api/v1/notify HTTP/1.1\r\nhost: h\r\ncontent-length: -1\r\nconnection: close\r\n\r\n".to_vec(),
        b"POST /api/v1/notify HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\nconnection: close\r\n\r\nab".to_vec(),
        b"POST /api/v1/notify HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\nzz\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        format!("GET /api/v1/{} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n", long(100_000)).into_bytes(),
        format!("GET /api/v1/apps HTTP/1.1\r\nhost: h\r\na: {}\r\nconnection: close\r\n\r\n", long(100_000)).into_bytes(),
        format!("GET /api/v1/apps HTTP/1.1\r\nhost: h\r\n{}connection: close\r\n\r\n", "a: b\r\n".repeat(1_000)).into_bytes(),
    ];
    for request in requests {
        let answer = exchange(server.address(), &request, true);
        let text = request[..request.len().min(200)].escape_ascii();
        let is_answered = answer.is_empty() || is_error_body(&answer);
        assert!(is_answered, "{text}: {answer}");
    }
    assert_eq!(snapshot(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_cannot_be_read_gets_an_answer_like_every_other() {
    let (server, _) = setup(TestDatabase::sqlite().await).await;
    for request in [
        b"GET /api/v1/apps/\xff HTTP/1.1\r\nhost: h\r\n\r\n".to_vec(),
        b"GET /api/v1/apps/<x> HTTP/1.1\r\nhost: h\r\n\r\n".to_vec(),
        format!(
            "GET /api/v1/apps HTTP/1.1\r\nhost: h\r\n{}\r\n",
            "a: b\r\n".repeat(120)
        )
        .into_bytes(),
        format!(
            "GET /api/v1/apps HTTP/1.1\r\nhost: h\r\na: {}\r\n\r\n",
            "b".repeat(32 * 1024)
        )
        .into_bytes(),
    ] {
        let answer = exchange(server.address(), &request, true);
        assert!(is_error_body(&answer), "{answer}");
        assert_eq!(status(&answer), "400");
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        let body: serde_json::Value = serde_json::from_str(body).expect("an error body");
        assert_eq!(body["code"], "INVALID_INPUT");
    }
}

/// Whether it is a refusal with an id and a code.
fn is_error_body(answer: &str) -> bool {
    let refused = status(answer).starts_with('4') || status(answer) == "505";
    refused && answer.contains("x-request-id: ") && answer.contains("\"code\":\"")
}
