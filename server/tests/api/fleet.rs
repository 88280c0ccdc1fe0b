//! Two servers over one PostgreSQL database: what happens at one holds at the other (CONTRACT 17).

mod clocks;
mod events;
mod limits;
mod listeners;
mod polling;
mod progress;
mod sends;
mod sessions;
mod settings;
mod sweeps;
mod webhooks;

use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::Value;

use crate::fixtures::{BINARY, app, concurrently, post, start};

/// Two servers that share nothing but the database and the secrets.
struct ServerPair {
    servers: [HatoServer; 2],
}

/// How every server of a fleet is started.
async fn launch() -> ServerLaunch {
    ServerLaunch::on(BINARY, TestDatabase::postgres().await)
}

impl ServerPair {
    /// Two servers that accept and deliver nothing.
    async fn of_apis() -> Self {
        Self::with(|launch| launch.env("HATO_ROLE", "api")).await
    }

    /// Two servers with other settings.
    async fn with(setting: impl Fn(ServerLaunch) -> ServerLaunch) -> Self {
        let launch = launch().await;
        let [one, other] = [(); 2].map(|()| start(setting(launch.clone())));
        let (one, other) = tokio::join!(one, other);
        Self {
            servers: [one, other],
        }
    }

    /// An app of a new account, made at the first server.
    async fn app(&self) -> OwnedApp {
        app(&self.servers[0], "owner@example.com").await
    }

    /// The client of the server with this number, in turn.
    fn client(&self, client: &Client, number: usize) -> Client {
        client.at(self.servers[number % 2].address())
    }

    /// The answers to so many requests, made at the same time and at both servers.
    async fn post_concurrently(
        &self,
        client: &Client,
        path: &str,
        count: usize,
        body: impl Fn(usize) -> Value,
    ) -> Vec<Reply> {
        let requests = (0..count).map(|number| {
            let (client, path) = (self.client(client, number), path.to_owned());
            let body = body(number);
            async move { post(&client, &path, &body).await }
        });
        concurrently(requests).await
    }
}
