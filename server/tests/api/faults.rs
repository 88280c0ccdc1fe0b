//! Nothing accepted is lost, and nothing is counted twice, whatever happens around a send to thousands (CONTRACT 7).

mod disk;
mod kills;
mod silence;

use std::collections::HashMap;

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{BrowserSubscription, Decryption, Options, PushService};
use hato_testkit::server::{HatoServer, Launch};
use hato_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::stage::{app, post, register, start, until};

/// Of so many requests one fails.
const FAILING: u64 = 20;

/// An app with subscribers at a push service behind a wire.
struct Scene {
    push: PushService,
    wire: Wire,
    server: HatoServer,
    app: OwnedApp,
    browsers: Vec<BrowserSubscription>,
}

/// How many times each browser was served.
type Served = HashMap<String, u64>;

impl Scene {
    async fn new(launch: Launch, recipients: usize) -> Self {
        let options = Wire::behind(Options {
            decryption: Decryption::CountOnly,
            ..Options::default()
        });
        let push = PushService::start_with(options).await;
        let push = push.expect("a push service");
        let wire = Wire::to(&push).await;
        let launch = launch.reaching(&push).env("HATO_DEFAULT_PLAN", "pro");
        let server = start(launch).await;
        let app = app(&server, "owner@example.com").await;
        let browsers = push.subscribe_many(Some(&app.vapid_public_key), recipients);
        register(&app.frontend, &browsers).await;
        Self {
            push,
            wire,
            server,
            app,
            browsers,
        }
    }

    /// The same client, for this run of the server.
    fn now(&self, client: &Client) -> Client {
        client.at(self.server.address())
    }

    /// Sends to everyone, and returns the send's id.
    async fn send(&self) -> String {
        let message = json!({"title": "t", "body": "b"});
        let reply = post(&self.now(&self.app.backend), "/api/v1/notify", &message).await;
        let accepted = reply.json();
        assert_eq!(reply.status, 202, "{reply}");
        assert_eq!(accepted["queued"], self.browsers.len());
        accepted["send_id"].as_str().expect("an id").to_owned()
    }

    /// The send's item in the history once it is done.
    async fn finish(&self, send: &str) -> Value {
        let path = format!("/api/v1/apps/{}/notifications/{send}", self.app.id);
        until(&self.now(&self.app.owner), &path, |it| {
            it["status"] == "done"
        })
        .await
    }

    fn served(&self) -> Served {
        let count = |it: &BrowserSubscription| {
            let created = self.push.seen(|seen| seen.counts(&it.id).created);
            (it.id.clone(), created)
        };
        self.browsers.iter().map(count).collect()
    }

    /// Everybody is accounted for, and whoever is counted as served was served since `before`. Returns how many copies there
    /// were beyond one for each.
    fn assert_nothing_lost(&self, outcome: &Value, before: &Served) -> u64 {
        let count = |name: &str| outcome[name].as_u64().expect("a count");
        let known = [
            "sent_count",
            "failed_count",
            "skipped_count",
            "cancelled_count",
        ];
        assert_eq!(known.map(count).iter().sum::<u64>(), count("recipients"));
        let copies = self.served();
        let copies = copies.iter().map(|(id, now)| now - before[id]);
        let (missed, served): (Vec<u64>, Vec<u64>) = copies.partition(|copies| *copies == 0);
        let unserved = count("recipients") - count("sent_count");
        assert!(missed.len() as u64 <= unserved, "{outcome}");
        self.push.assert_no_violations();
        served.iter().map(|copies| copies - 1).sum()
    }
}
