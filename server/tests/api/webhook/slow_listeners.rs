//! Who listens and takes events slowly: what waits for them is small, and stays theirs no longer than they are listeners.

use std::time::Duration;

use futures_util::future::join_all;
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::listeners::{listen, stream_path};
use crate::database::{DatabaseConnection, execute, fill_subscriptions};
use crate::fixtures::{BINARY, WAIT_TIMEOUT, app, get, post, start};
use crate::process;

/// Bytes that the large event has at least: 500 results whose endpoints have 2,000 bytes.
const LARGE: usize = 1_000_000;
/// Events that are there for a listener at once.
const EVENTS: usize = 20;
/// By how much the server's memory may grow, in MiB: the events of four listeners would be 80.
const MOST_MIB: u64 = 64;
/// How often a slow client takes something.
const PAUSE: Duration = Duration::from_millis(100);

/// A server and an app of which a large event was heard, whole, by a listener that has left.
async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let long = format!("https://10.0.0.1/{}", "0".repeat(1_980));
    fill_subscriptions(&server, 500, &long).await;
    let mut listener = listen(&app).await;
    let message = json!({"title": "t", "body": "b"});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.json()["queued"], 500, "{reply}");
    let heard = listener.events(2).await;
    let (_, body) = &heard[0];
    let event: Value = serde_json::from_str(body).expect("JSON");
    let results = event["data"]["results"].as_array();
    assert_eq!(results.map(Vec::len), Some(500));
    assert!(body.len() > LARGE);
    drop(listener);
    wait_until_nobody_listens(&server).await;
    (server, app)
}

async fn wait_until_nobody_listens(server: &HatoServer) {
    let mut database = DatabaseConnection::to(server).await;
    let listeners = "SELECT COUNT(*) FROM listeners";
    database.wait_for_count(listeners, |it| it == 0).await;
    database.close().await;
}

/// Writes the large event anew, so often, for those who listen now.
async fn repeat_large_event(server: &HatoServer) {
    let statement = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {EVENTS})
        INSERT INTO heard_events (public_id, app_id, type, send_id, content, created_at)
        SELECT 'msg_repeated' || n, app_id, type, send_id, content, created_at
        FROM heard_events, numbers WHERE type = 'delivery.results'"
    );
    execute(server, &statement).await;
}

/// Listens with this key, once the server has begun, on a connection that takes in little by itself.
async fn listen_slowly(server: &HatoServer, app: &OwnedApp, key: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let bounded = socket.set_recv_buffer_size(64 * 1_024);
    bounded.expect("a small buffer");
    let mut stream = socket.connect(server.address()).await.expect("open");
    let path = stream_path(app);
    let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("asked");
    read_until(&mut stream, ": listening").await;
    stream
}

/// Reads until this has come.
async fn read_until(stream: &mut TcpStream, text: &str) -> Vec<u8> {
    let mut taken = Vec::new();
    while !String::from_utf8_lossy(&taken).contains(text) {
        let read = stream.read_buf(&mut taken).await.expect("an answer");
        assert_ne!(read, 0, "{}", taken.escape_ascii());
    }
    taken
}

/// Takes so many bytes ten times a second, until the end; what came.
async fn read_slowly(mut stream: TcpStream, bytes: usize) -> Vec<u8> {
    let mut ticks = interval(PAUSE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut buffer, mut taken) = (vec![0; bytes], Vec::new());
    let reading = async {
        loop {
            ticks.tick().await;
            match stream.read(&mut buffer).await {
                // Whoever is cut off may be told so by an error.
                Ok(0) | Err(_) => break,
                Ok(read) => taken.extend_from_slice(&buffer[..read]),
            }
        }
    };
    timeout(WAIT_TIMEOUT, reading).await.expect("it ends");
    taken
}

#[on_each_database]
async fn who_takes_an_event_too_slowly_holds_little_and_is_cut_off(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let key = app.owner.create_key(&app.id, "slow", "full").await;
    let key = key.expect("a key");
    let before = process::peak_memory(&server) >> 20;
    let mut listeners = Vec::new();
    for _ in 0..4 {
        listeners.push(listen_slowly(&server, &app, &key).await);
    }
    repeat_large_event(&server).await;
    // At 20 KB/s the event would take 50 s.
    let reading = listeners.into_iter().map(|it| read_slowly(it, 2 * 1_024));
    for taken in join_all(reading).await {
        assert!(taken.len() < LARGE, "{} bytes", taken.len());
    }
    wait_until_nobody_listens(&server).await;
    let grown = (process::peak_memory(&server) >> 20).saturating_sub(before);
    println!("four slow listeners, {grown} MiB more");
    assert!(grown < MOST_MIB, "{grown} MiB");
}

#[on_each_database]
async fn what_waits_is_not_told_when_the_key_is_gone(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let key = app.owner.create_key(&app.id, "gone", "full").await;
    let mut listener = listen_slowly(&server, &app, &key.expect("a key")).await;
    repeat_large_event(&server).await;
    let mut taken = read_until(&mut listener, "id: msg_").await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let keys = get(&app.owner, &path).await.json();
    let mut keys = keys.as_array().expect("a list").iter();
    let key = keys.find(|it| it["name"] == "gone").expect("the key");
    let path = format!("{path}/{}", key["id"].as_str().expect("an id"));
    let deleted = app.owner.delete(&path).await.expect("an answer");
    assert_eq!(deleted.status, 200, "{deleted}");
    // At 80 KB/s the event takes longer than a key is taken for good, and less long than it may take.
    taken.extend(read_slowly(listener, 8 * 1_024).await);
    let begun = String::from_utf8_lossy(&taken).matches("id: msg_").count();
    assert_eq!(begun, 1, "{} bytes", taken.len());
}
