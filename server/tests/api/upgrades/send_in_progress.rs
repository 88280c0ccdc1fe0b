//! A send that a process is delivering while something happens to the tables.

use hato_testkit::TestDatabase;
use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::server::HatoServer;
use serde_json::json;

use super::process;
use crate::fixtures::{app, post, register, start, wait_until};

const RECIPIENTS: usize = 20;

pub(super) struct SendInProgress {
    // Ended first: the database is removed with nobody on it.
    pub(super) api: HatoServer,
    pub(super) worker: HatoServer,
    pub(super) database: TestDatabase,
    pub(super) app: OwnedApp,
    push: PushService,
    /// Whose message the push service has not answered yet.
    waiting: BrowserSubscription,
    id: String,
}

impl SendInProgress {
    /// A send of which everybody is reached but one.
    pub(super) async fn start() -> Self {
        let push = PushService::start().await;
        let database = TestDatabase::postgres().await;
        let [api, worker] = ["api", "worker"].map(|role| {
            let launch = process(&database).with_push_service(&push);
            start(
                launch
                    .env("HATO_ROLE", role)
                    .env("HATO_DEFAULT_PLAN", "pro"),
            )
        });
        let (api, worker) = tokio::join!(api, worker);
        let app = app(&api, "owner@example.com").await;
        let browsers = push.subscribe_many(Some(&app.vapid_public_key), RECIPIENTS);
        register(&app.admin, &browsers).await;
        let waiting = browsers[0].clone();
        control(&push, "/hold", &waiting).await;
        let id = broadcast(&app).await;
        push.wait_until(|seen| seen.total.created >= RECIPIENTS as u64 - 1)
            .await;
        Self {
            api,
            worker,
            database,
            app,
            push,
            waiting,
            id,
        }
    }

    /// Lets it end, with everybody reached once, and so does the next one.
    pub(super) async fn completes(&self) {
        control(&self.push, "/release", &self.waiting).await;
        for id in [self.id.clone(), broadcast(&self.app).await] {
            let path = format!("/api/v1/apps/{}/notifications/{id}", self.app.id);
            let send = wait_until(&self.app.owner, &path, |send| send["status"] == "done").await;
            assert_eq!(send["sent_count"], RECIPIENTS, "{send}");
        }
        let reached = self.push.seen(|seen| seen.total.created);
        assert_eq!(reached, 2 * RECIPIENTS as u64);
        let logs = [self.api.log(), self.worker.log()].concat();
        assert!(!logs.contains("ERROR"), "{logs}");
    }
}

async fn control(push: &PushService, path: &str, browser: &BrowserSubscription) {
    let client = Client::new(push.control_address());
    let done = post(&client, path, &json!({"subscription": browser.endpoint})).await;
    assert_eq!(done.status, 200, "{done}");
}

async fn broadcast(app: &OwnedApp) -> String {
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    let sent = sent.json();
    sent["send_id"].as_str().expect("an id").to_owned()
}
