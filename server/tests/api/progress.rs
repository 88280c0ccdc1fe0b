//! How far a send is, as its page listens to it.

use hato_testkit::owner::PASSWORD;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::fixtures::{BINARY, app, post, send, start, subscribe};

const EMAIL: &str = "owner@example.com";

/// A server that delivers nothing, and the path of the events of a send on it.
async fn setup(database: TestDatabase) -> (HatoServer, String) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, EMAIL).await;
    subscribe(&app, 1).await;
    let notification = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &notification).await;
    let sent = sent.json();
    let id = sent["send_id"].as_str().expect("an id");
    (server, format!("/apps/{}/sends/{id}/events", app.id))
}

async fn log_in(server: &HatoServer) -> String {
    let session = server.client().log_in(EMAIL, PASSWORD).await;
    session.expect("a session")
}

/// A connection that listens at `path`, once the first event is there.
async fn listen(server: &HatoServer, session: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.expect("open");
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: hato_session={session}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("asked");
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("data: <section") {
        let read = stream.read_buf(&mut seen).await.expect("an answer");
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&seen));
    }
    stream
}

#[on_each_database]
async fn a_draining_server_ends_what_listens(database: TestDatabase) {
    let (mut server, path) = setup(database).await;
    let session = log_in(&server).await;
    let mut stream = listen(&server, &session, &path).await;
    let ended = server.terminate().await.expect("an end");
    assert!(ended.success(), "{ended}");
    assert!(!server.log().contains("draining takes too long"));
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.expect("the end");
}

#[on_each_database]
async fn nobody_listens_to_a_deleted_app(database: TestDatabase) {
    let (server, path) = setup(database).await;
    let session = log_in(&server).await;
    let mut stream = listen(&server, &session, &path).await;
    let (app, _) = path.split_once("/sends/").expect("a send's path");
    let owner = server.client().bearer(&session);
    let deleted = owner.delete(&format!("/api/v1{app}")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    // The end of a body in chunks (RFC 9112 §7.1).
    let mut rest = Vec::new();
    while !rest.ends_with(b"0\r\n\r\n") {
        let read = stream.read_buf(&mut rest).await.expect("an answer");
        assert_ne!(read, 0);
    }
}

#[on_each_database]
async fn an_account_listens_on_few_connections(database: TestDatabase) {
    let (server, path) = setup(database).await;
    let session = log_in(&server).await;
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(listen(&server, &session, &path).await);
    }
    let cookie = format!("hato_session={session}");
    let headers = [("cookie", cookie.as_str())];
    let client = server.client();
    let refused = send(&client, Method::GET, &path, &headers, "").await;
    assert_eq!(
        (refused.status.as_u16(), refused.text().as_str()),
        (429, "RATE_LIMITED")
    );
}
