//! Exports that are on their way when their key or their app goes.

use hato_testkit::event_stream_reader::EventStreamReader;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{bulk, endpoint, path, summary};
use crate::fixtures::{BINARY, app, delete_key, registration, start};

/// So many that the buffers between server and client do not hold their export, which has 4 MB.
const SUBSCRIBERS: usize = 2_000;

/// An export of which the beginning was read.
struct Download {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Download {
    async fn begin(server: &HatoServer, app: &OwnedApp, token: &str) -> Self {
        let mut stream = TcpStream::connect(server.address()).await.expect("open");
        let request = format!(
            "GET {} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n",
            path(app, "/export")
        );
        stream.write_all(request.as_bytes()).await.expect("asked");
        let mut bytes = Vec::new();
        while !bytes.windows(4).any(|it| it == b"\r\n\r\n") {
            let read = stream.read_buf(&mut bytes).await.expect("an answer");
            assert_ne!(read, 0, "{}", bytes.escape_ascii());
        }
        let is_begun = bytes.starts_with(b"HTTP/1.1 200 ");
        assert!(is_begun, "{}", bytes.escape_ascii());
        Self { stream, bytes }
    }

    /// Reads the rest as fast as it comes: how many subscribers there were, and whether it was the whole.
    async fn finish(mut self) -> (usize, bool) {
        // A connection that is cut may be reset.
        let _ = self.stream.read_to_end(&mut self.bytes).await;
        let text = String::from_utf8_lossy(&self.bytes);
        let count = text.matches("\"endpoint\":").count();
        (count, text.ends_with("\r\n0\r\n\r\n"))
    }
}

async fn subscribe_many(app: &OwnedApp) {
    let long = |number: usize| registration(&format!("{}/{}", endpoint(number), "x".repeat(1_900)));
    for first in (0..SUBSCRIBERS).step_by(1_000) {
        let items: Vec<_> = (first..first + 1_000).map(long).collect();
        let registered = bulk(app, "", &items).await;
        assert_eq!(summary(&registered), (1_000, 0, vec![]));
    }
}

#[on_each_database]
async fn an_export_breaks_off_with_its_key_and_its_app(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    subscribe_many(&app).await;
    let key = app.owner.create_key(&app.id, "mover", "full").await;
    let key = key.expect("a key");
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let session = session.expect("a session");
    let with_key = Download::begin(&server, &app, &key).await;
    let with_session = Download::begin(&server, &app, &session).await;
    let until_deleted = Download::begin(&server, &app, &session).await;
    // It has begun last: when it notices that its key is gone, it is time for the others to notice as well.
    let listening = server.client().bearer(&key);
    let listener = EventStreamReader::open(&listening, &path(&app, "/events/stream")).await;
    delete_key(&app, "mover").await;
    listener.end().await;

    let (count, is_whole) = with_key.finish().await;
    assert!(count < SUBSCRIBERS && !is_whole, "{count}");
    assert_eq!(with_session.finish().await, (SUBSCRIBERS, true));
    let deleted = app.owner.delete(&path(&app, "")).await;
    assert_eq!(deleted.expect("an answer").status, 200);
    let (count, is_whole) = until_deleted.finish().await;
    assert!(count < SUBSCRIBERS && !is_whole, "{count}");
}
