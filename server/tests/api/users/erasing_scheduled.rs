//! Erasing a user: what is scheduled does not wait for whoever has the user's id or endpoints later.

use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::erasing::{erase, members};
use super::path;
use crate::fixtures::{BINARY, app, post, start, wait_until};

/// A server that delivers nothing yet.
struct ScheduledErasure {
    push: PushService,
    launch: ServerLaunch,
    server: HatoServer,
    app: OwnedApp,
}

impl ScheduledErasure {
    async fn new(database: TestDatabase) -> Self {
        let push = PushService::start().await;
        let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
        let server = start(launch.clone().env("HATO_ROLE", "api")).await;
        let app = app(&server, "owner@example.com").await;
        Self {
            push,
            launch,
            server,
            app,
        }
    }

    /// Starts a server that delivers; of the sends, each has so many recipients.
    async fn assert_recipients(mut self, sends: &[String], expected: [i64; 2]) {
        self.server.terminate().await.expect("it stops");
        let server = start(self.launch).await;
        self.app.owner = self.app.owner.at(server.address());
        for (send, recipients) in sends.iter().zip(expected) {
            let item = path(&self.app, &format!("/notifications/{send}"));
            let done = wait_until(&self.app.owner, &item, |it| it["status"] == "done").await;
            assert_eq!(done["recipients"], recipients, "{done}");
        }
    }
}

#[on_each_database]
async fn scheduled_sends_are_for_the_user_no_more(database: TestDatabase) {
    let setup = ScheduledErasure::new(database).await;
    let (app, push) = (&setup.app, &setup.push);
    let browsers = [push.subscribe(None), push.subscribe(None)];
    post(
        &app.backend,
        "/api/v1/subscriptions",
        &members(&browsers[0]),
    )
    .await;
    let mut other = members(&browsers[1]);
    other["user_id"] = json!("v");
    post(&app.backend, "/api/v1/subscriptions", &other).await;
    let mut sends = Vec::new();
    for users in [json!(["u"]), json!(["u", "v"])] {
        let send_at = SystemClock.now().0 + 1_000;
        let message =
            json!({"title": "t", "body": "b", "send_at": send_at, "to": {"user_ids": users}});
        let sent = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.status, 202, "{sent}");
        sends.push(sent.json()["send_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(erase(app, "u").await["removed"], 1);
    // Who comes again later is not meant by what was asked before.
    post(
        &app.backend,
        "/api/v1/subscriptions",
        &members(&browsers[0]),
    )
    .await;
    setup.assert_recipients(&sends, [0, 1]).await;
}

#[on_each_database]
async fn scheduled_sends_are_for_the_users_endpoints_no_more(database: TestDatabase) {
    let setup = ScheduledErasure::new(database).await;
    let (app, push) = (&setup.app, &setup.push);
    let browsers = [push.subscribe(None), push.subscribe(None)];
    let registrations = [members(&browsers[0]), browsers[1].registration()];
    for registration in &registrations {
        post(&app.backend, "/api/v1/subscriptions", registration).await;
    }
    let [own, other] = registrations.each_ref().map(|it| &it["endpoint"]);
    let message = json!({"title": "t", "body": "b", "send_at": SystemClock.now().0 + 1_000});
    let mut to_one = message.clone();
    to_one["endpoint"] = own.clone();
    let to_both = json!({"endpoints": [own, other], "payload": message});
    let mut sends = Vec::new();
    for (path, body) in [
        ("/api/v1/notify", to_one),
        ("/api/v1/notify/batch", to_both),
    ] {
        let sent = post(&app.backend, path, &body).await;
        assert_eq!(sent.status, 202, "{sent}");
        sends.push(sent.json()["send_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(erase(app, "u").await["removed"], 1);
    // The same browser, of which nothing was known any more.
    let again = post(&app.backend, "/api/v1/subscriptions", &registrations[0]).await;
    assert_eq!(again.status, 201, "{again}");
    setup.assert_recipients(&sends, [0, 1]).await;
}
