//! Webhooks from an owner's side (CONTRACT 8): setting up, signatures that others verify, and events that survive.

mod crash;
mod descriptors;
mod listeners;
mod log;
mod many;
mod signatures;
mod slow_listeners;

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::webhook_receiver::{Event, ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::admin::admin;
use crate::database::value;
use crate::fixtures::{BINARY, app, get, post, send, start, status_and_code, wait_until};

/// An app on plan Pro whose events go to a receiver.
struct WebhookFixture {
    push: PushService,
    receiver: WebhookReceiver,
    server: HatoServer,
    app: OwnedApp,
}

impl WebhookFixture {
    async fn new(database: TestDatabase) -> Self {
        Self::with(ServerLaunch::on(BINARY, database)).await
    }

    async fn with(launch: ServerLaunch) -> Self {
        let push = PushService::start().await;
        let receiver = WebhookReceiver::start(push.ca()).await;
        let launch = launch
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro");
        let server = start(launch).await;
        let app = app(&server, "owner@example.com").await;
        let fixture = Self {
            push,
            receiver,
            server,
            app,
        };
        fixture.set_webhook(fixture.receiver.url()).await;
        fixture
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/apps/{}{rest}", self.app.id)
    }

    /// Sets the webhook's URL by the API, as the owner.
    async fn set_webhook(&self, url: &str) {
        let owner = self.app.owner.at(self.server.address());
        let body = json!({"webhook_url": url}).to_string();
        let reply = send(&owner, Method::PATCH, &self.path(""), &[], body).await;
        assert_eq!(reply.status, 200, "{reply}");
    }

    async fn webhook(&self) -> Value {
        let owner = self.app.owner.at(self.server.address());
        get(&owner, &self.path("/webhook")).await.json()
    }

    async fn rotate(&self) -> Value {
        let path = self.path("/webhook/secret");
        let reply = post(&self.app.admin, &path, &json!({})).await;
        assert_eq!(reply.status, 200, "{reply}");
        reply.json()
    }

    /// Registers a browser whose push service answers so.
    async fn subscribe(&self, answer: ScriptedResponse) -> String {
        let browser = self.push.subscribe(Some(&self.app.vapid_public_key));
        self.push.always_respond(&browser, answer);
        let body = browser.registration();
        let reply = post(&self.app.frontend, "/api/v1/subscriptions", &body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Sends to everybody, and waits for the end; the send's id.
    async fn send(&self) -> String {
        let message = json!({"title": "t", "body": "b"});
        let reply = post(&self.app.backend, "/api/v1/notify", &message).await;
        assert_eq!(reply.status, 202, "{reply}");
        let id = reply.json()["send_id"].as_str().expect("an id").to_owned();
        let path = self.path(&format!("/notifications/{id}"));
        wait_until(&self.app.owner, &path, |it| it["status"] == "done").await;
        id
    }

    /// The first events, once so many have come.
    async fn events(&self, count: usize) -> Vec<Event> {
        self.receiver.wait_until(|seen| seen.len() >= count).await;
        self.receiver.seen()
    }

    async fn set_plan(&self, plan: &str) {
        let arguments = ["set-plan", "owner@example.com", plan];
        let done = admin(self.server.launch(), &arguments, b"").await;
        assert!(done.status.success(), "{done:?}");
    }
}

#[on_each_database]
async fn the_operator_says_when_and_how_often_an_event_is_posted_again(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_WEBHOOK_RETRY_DELAYS", "1ms,1ms");
    let fixture = WebhookFixture::with(launch).await;
    let refusal = || ReceiverResponse::Status(500);
    fixture.receiver.script([refusal(), refusal()]);
    fixture.send().await;
    // By default the second wait is five minutes.
    let posted = fixture.events(3).await;
    assert!(posted.iter().all(|event| event.id() == posted[0].id()));
}

#[on_each_database]
async fn it_is_there_while_there_is_a_url(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let webhook = fixture.webhook().await;
    let secret = webhook["secret"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let expected = json!({
        "webhook_url": fixture.receiver.url(),
        "secret": secret,
        "previous_secret": null,
        "previous_secret_expires_at": null,
        "enabled": true,
        "disabled_reason": null,
    });
    assert_eq!(webhook, expected);
    assert_eq!(fixture.webhook().await, expected, "the secret stays");

    let clear = json!({"webhook_url": null}).to_string();
    send(
        &fixture.app.owner,
        Method::PATCH,
        &fixture.path(""),
        &[],
        clear,
    )
    .await;
    for (method, path) in [
        (Method::GET, "/webhook"),
        (Method::POST, "/webhook/secret"),
        (Method::POST, "/webhook/enable"),
    ] {
        let reply = send(&fixture.app.admin, method, &fixture.path(path), &[], "").await;
        assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()), "{path}");
    }
}

#[on_each_database]
async fn secrets_are_sealed_at_rest_and_stay_out_of_the_log(database: TestDatabase) {
    let fixture =
        WebhookFixture::with(ServerLaunch::on(BINARY, database).env("HATO_LOG", "debug")).await;
    let secrets = fixture.rotate().await;
    fixture.send().await;
    fixture.events(1).await;
    for name in ["secret", "previous_secret"] {
        let secret = secrets[name].as_str().expect("a secret");
        assert!(!fixture.server.log().contains(secret));
    }
    let path = "token=secret";
    assert!(
        !fixture.server.log().contains(path),
        "a URL may hold a token"
    );
    let sealed: Vec<u8> = value(&fixture.server, "SELECT sealed_secret FROM webhooks").await;
    assert_eq!(sealed.len(), 12 + 32 + 16, "nonce, secret and tag");
}

#[on_each_database]
async fn every_outcome_is_told_once_and_the_end_last(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    let sent = fixture.subscribe(ScriptedResponse::Created).await;
    let expired = fixture.subscribe(ScriptedResponse::Status(410)).await;
    let failed = fixture.subscribe(ScriptedResponse::Status(400)).await;
    let send_id = fixture.send().await;
    let events = fixture.events(2).await;
    let results = &events[0].json()["data"]["results"];
    let mut sorted: Vec<_> = results.as_array().expect("a list").clone();
    sorted.sort_by_key(|result| result["status"].to_string());
    let shown: Vec<_> = sorted
        .iter()
        .map(|result| {
            (
                result["subscription_id"].clone(),
                result["status"].clone(),
                result["http_status"].clone(),
                result["attempts"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (json!(expired), json!("expired"), json!(410), json!(1)),
            (json!(failed), json!("failed"), json!(400), json!(1)),
            (json!(sent), json!("sent"), json!(201), json!(1)),
        ]
    );
    let expected = json!({
        "app_id": fixture.app.id, "send_id": send_id, "recipients": 3, "sent_count": 1,
        "failed_expired": 1, "failed_other": 1, "skipped_count": 0, "cancelled_count": 0,
    });
    assert_eq!(events[1].kind(), "send.completed");
    assert_eq!(events[1].json()["data"], expected);
    assert_ne!(events[0].id(), events[1].id());
}

#[on_each_database]
async fn a_send_to_nobody_and_a_cancelled_one_are_told_too(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    fixture.send().await;
    let events = fixture.events(1).await;
    assert_eq!(events[0].json()["data"]["recipients"], 0);

    fixture.subscribe(ScriptedResponse::Hang).await;
    let one = fixture.subscribe(ScriptedResponse::Created).await;
    assert!(one.starts_with("sub_"));
    let delays = [("content-type", "application/json")];
    let message = json!({"title": "t", "body": "b"}).to_string();
    let path = fixture.path("/notify");
    let accepted = send(&fixture.app.admin, Method::POST, &path, &delays, message).await;
    let id = accepted.json()["send_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = fixture.path(&format!("/notifications/{id}"));
    let cancelled = send(&fixture.app.admin, Method::DELETE, &path, &[], "").await;
    assert_eq!(cancelled.status, 200, "{cancelled}");
    wait_until(&fixture.app.owner, &path, |it| {
        matches!(it["status"].as_str(), Some("cancelled" | "done"))
    })
    .await;
    let ends = |seen: &[Event]| {
        let ends = seen.iter().map(|event| event.json()["data"].clone());
        let ends = ends.filter(|data| data["send_id"] == id && data["results"].is_null());
        ends.count()
    };
    fixture.receiver.wait_until(|seen| ends(seen) == 1).await;
}

#[on_each_database]
async fn a_gone_receiver_is_disabled_and_enabled(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    fixture.receiver.script([ReceiverResponse::Status(410)]);
    fixture.send().await;
    fixture.events(1).await;
    let off = wait_until(&fixture.app.owner, &fixture.path("/webhook"), |it| {
        it["enabled"] == false
    })
    .await;
    assert_eq!(off["disabled_reason"], "gone");
    fixture.send().await;
    let path = fixture.path("/webhook/enable");
    let reply = post(&fixture.app.admin, &path, &json!({})).await;
    assert_eq!(reply.status, 200, "{reply}");
    let on = reply.json();
    assert_eq!(
        (&on["enabled"], &on["disabled_reason"]),
        (&json!(true), &Value::Null)
    );
    let third = fixture.send().await;
    let events = fixture.events(2).await;
    assert_eq!(events.len(), 2, "nothing of what happened while it was off");
    assert_eq!(events[1].json()["data"]["send_id"], third);
}

#[on_each_database]
async fn a_downgrade_stops_events_and_keeps_the_url(database: TestDatabase) {
    let fixture = WebhookFixture::new(database).await;
    fixture.set_plan("free").await;
    fixture.send().await;
    let shown = get(&fixture.app.owner, &fixture.path("")).await.json();
    assert_eq!(shown["webhook_url"], fixture.receiver.url());
    let webhook = fixture.webhook().await;
    assert_eq!(
        (&webhook["enabled"], &webhook["disabled_reason"]),
        (&json!(false), &json!("plan_required"))
    );
    let path = fixture.path("/webhook/enable");
    let reply = post(&fixture.app.admin, &path, &json!({})).await;
    assert_eq!(status_and_code(&reply), (403, "PLAN_REQUIRED".into()));

    fixture.set_plan("pro").await;
    let send_id = fixture.send().await;
    let events = fixture.events(1).await;
    assert_eq!(events[0].json()["data"]["send_id"], send_id);
}
