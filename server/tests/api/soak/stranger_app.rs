//! The apps of strangers: whoever registers has one, sends with it, and looks at it.

use std::sync::atomic::{AtomicU64, Ordering};

use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::server::HatoServer;
use serde_json::json;

use crate::fixtures::{app, post, register_in_bulk};

/// Who subscribes to each.
const SUBSCRIBERS: usize = 10;
/// How many strangers share an account, of which each address may make few, and an app.
const STRANGERS_OF_ACCOUNT: usize = 400;
const STRANGERS_OF_APP: usize = 60;

/// An app of a stranger's.
pub struct StrangerApp {
    pub id: String,
    pub email: String,
    pub notify_key: String,
    pub full_key: String,
    /// Sends that were accepted.
    pub accepted: AtomicU64,
    /// The session of its owner.
    pub session: String,
    browsers: Vec<BrowserSubscription>,
    /// A send that has not ended.
    send: String,
}

/// As many as it takes for so many strangers.
pub async fn create(server: &HatoServer, push: &PushService, strangers: usize) -> Vec<StrangerApp> {
    let mut apps = Vec::new();
    for account in 0..strangers.div_ceil(STRANGERS_OF_ACCOUNT) {
        let email = format!("stranger{account}@example.com");
        let first = app(server, &email).await;
        let session = server.client().log_in(&email, PASSWORD).await;
        let session = session.expect("a session");
        for _ in 0..STRANGERS_OF_ACCOUNT
            .min(strangers)
            .div_ceil(STRANGERS_OF_APP)
        {
            apps.push(StrangerApp::create(&first, push, &email, &session).await);
        }
    }
    apps
}

impl StrangerApp {
    async fn create(account: &OwnedApp, push: &PushService, email: &str, session: &str) -> Self {
        let owner = &account.owner;
        let created = owner.create_app("Stranger's").await.expect("an app");
        let text = |member: &str| created[member].as_str().expect("a text").to_owned();
        let id = text("appId");
        let notify_key = owner.create_key(&id, "backend", "notify").await;
        let full_key = owner.create_key(&id, "admin", "full").await;
        let full_key = full_key.expect("a key");
        let browsers = push.subscribe_many(Some(&text("vapid_public_key")), SUBSCRIBERS);
        let admin = owner.bearer(&full_key);
        register_in_bulk(&admin, &id, &browsers).await;
        // It is due when all of this is over, so that there is something to follow.
        let tomorrow = SystemClock.now().0 + 24 * 3_600_000;
        let message = json!({"title": "t", "body": "b", "send_at": tomorrow});
        let sent = post(&admin, "/api/v1/notify", &message).await;
        Self {
            send: sent.json()["send_id"].as_str().expect("an id").to_owned(),
            id,
            email: email.to_owned(),
            notify_key: notify_key.expect("a key"),
            full_key,
            accepted: AtomicU64::new(0),
            session: session.to_owned(),
            browsers,
        }
    }

    pub fn progress_path(&self) -> String {
        format!("/apps/{}/sends/{}/events", self.id, self.send)
    }

    pub fn events_path(&self) -> String {
        format!("/api/v1/apps/{}/events/stream", self.id)
    }

    /// Whether everybody has got what was accepted; some strangers were gone before they knew of it.
    pub fn is_delivered(&self, push: &PushService) -> bool {
        let accepted = self.accepted.load(Ordering::Relaxed);
        let mut browsers = self.browsers.iter();
        browsers.all(|it| push.seen(|seen| seen.counts(&it.id).created) >= accepted)
    }
}
