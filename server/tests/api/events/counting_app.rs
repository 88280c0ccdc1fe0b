//! An app that counts what recipients do.

use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{PushService, ReceivedMessage};
use hato_testkit::server::{HatoServer, ServerLaunch};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, post, register, send, start, wait_until};

/// An app that counts, with browsers.
pub struct CountingApp {
    pub push: PushService,
    pub server: HatoServer,
    pub app: OwnedApp,
}

impl CountingApp {
    pub async fn new(database: TestDatabase, browsers: usize) -> Self {
        Self::with(ServerLaunch::on(BINARY, database), browsers).await
    }

    pub async fn with(launch: ServerLaunch, browsers: usize) -> Self {
        let push = PushService::start().await;
        let launch = launch
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro");
        let server = start(launch).await;
        let app = app(&server, "owner@example.com").await;
        let browsers = push.subscribe_many(Some(&app.vapid_public_key), browsers);
        register(&app.backend, &browsers).await;
        let counting = Self { push, server, app };
        counting.change(&json!({"tracking": "counts"})).await;
        counting
    }

    pub async fn change(&self, change: &Value) {
        let path = format!("/api/v1/apps/{}", self.app.id);
        let owner = self.owner().await;
        let changed = send(&owner, Method::PATCH, &path, &[], change.to_string()).await;
        assert_eq!(changed.status, 200, "{changed}");
    }

    /// The owner at the server as it runs now.
    pub async fn owner(&self) -> Client {
        let client = self.server.client();
        let session = client.log_in("owner@example.com", PASSWORD).await;
        client.bearer(&session.expect("a session"))
    }

    /// Sends to everybody; the path of the send when it is done.
    pub async fn send(&self) -> String {
        self.send_message(&json!({"title": "t", "body": "b"})).await
    }

    /// The same with this message.
    pub async fn send_message(&self, message: &Value) -> String {
        let sent = post(&self.app.backend, "/api/v1/notify", message).await;
        assert_eq!(sent.status, 202, "{sent}");
        let id = sent.json()["send_id"].as_str().expect("an id").to_owned();
        let path = format!("/api/v1/apps/{}/notifications/{id}", self.app.id);
        wait_until(&self.app.owner, &path, |it| it["status"] == "done").await;
        path
    }

    /// The tokens of the messages so far, by their arrival.
    pub fn tokens(&self) -> Vec<String> {
        self.push.seen(|seen| {
            let messages = seen.messages.iter().map(ReceivedMessage::json);
            let tokens = messages.filter_map(|it| it["t"].as_str().map(str::to_owned));
            tokens.collect()
        })
    }

    pub async fn report(&self, report: &Value) -> Reply {
        post(&self.server.client(), super::PATH, report).await
    }

    /// Reports this of each of the tokens.
    pub async fn report_all(&self, tokens: &[String], event: &str) {
        for token in tokens {
            let reply = self.report(&json!({"token": token, "event": event})).await;
            assert_eq!((reply.status.as_u16(), reply.body.len()), (204, 0));
        }
    }

    /// The send once it has so many of these counts.
    pub async fn counted(&self, path: &str, name: &str, count: usize) -> Value {
        let owner = self.owner().await;
        wait_until(&owner, path, |send| send[name] == count).await
    }
}
