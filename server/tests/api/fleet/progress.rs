//! A server that only accepts shows how far others are that deliver.

use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::launch;
use crate::fixtures::{app, get, post, start};

/// The events of a send's page while they come.
struct Listener {
    stream: TcpStream,
    seen: Vec<u8>,
}

impl Listener {
    async fn open(address: std::net::SocketAddr, session: &str, path: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.expect("open");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: hato_session={session}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("asked");
        let seen = Vec::new();
        Self { stream, seen }
    }

    /// Reads on until there was an event in which so many have got the message.
    async fn wait_until_sent(&mut self, count: usize) {
        let part = format!("<dd>{count}</dd>");
        while !self
            .sent_counts()
            .iter()
            .any(|sent| sent.starts_with(&part))
        {
            let read = self
                .stream
                .read_buf(&mut self.seen)
                .await
                .expect("an answer");
            assert_ne!(read, 0, "{}", self.text());
        }
    }

    /// What each event says of who has got the message.
    fn sent_counts(&self) -> Vec<String> {
        let text = self.text();
        let parts = text.split("<div class=\"sent\">").skip(1);
        parts
            .filter_map(|part| part.find("<dd>").map(|start| part[start..].to_owned()))
            .collect()
    }

    /// Without the marks at which Leptos divides texts.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).replace("<!>", "")
    }
}

#[tokio::test]
async fn who_listens_at_one_sees_what_another_delivers() {
    let push = PushService::start().await;
    let launch = launch().await.with_push_service(&push);
    let api = start(launch.clone().env("HATO_ROLE", "api")).await;
    let app = app(&api, "owner@example.com").await;
    let browsers = [(); 2].map(|()| push.subscribe(Some(&app.vapid_public_key)));
    push.script(&browsers[1], [ScriptedResponse::Status(500)]);
    for browser in &browsers {
        let body = browser.registration();
        let reply = post(&app.backend, "/api/v1/subscriptions", &body).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await.json();
    let id = sent["send_id"].as_str().expect("an id");
    let session = api.client().log_in("owner@example.com", PASSWORD).await;
    let path = format!("/apps/{}/sends/{id}/events", app.id);
    let mut listener = Listener::open(api.address(), &session.expect("a session"), &path).await;
    listener.wait_until_sent(0).await;

    let worker = launch
        .env("HATO_ROLE", "worker")
        .env("HATO_RETRY_DELAYS", "3s,1m,10m");
    let _worker = start(worker).await;
    listener.wait_until_sent(1).await;
    listener.wait_until_sent(2).await;
    let history = format!("/api/v1/apps/{}/notifications", app.id);
    let listed = get(&app.owner, &history).await.json();
    let summary = &listed["items"][0];
    assert_eq!(
        (&summary["status"], &summary["sent_count"]),
        (&json!("done"), &json!(2))
    );
    push.assert_no_violations();
}
