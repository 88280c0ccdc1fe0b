//! Nothing accepted is lost, and nothing is counted twice, whatever happens around a send to thousands (CONTRACT 7).

mod damaged_secrets;
mod descriptors;
mod disk;
mod kills;
mod locked;
mod names;
mod own_mounts;
mod read_only;
mod refused_start;
mod silence;
mod unreadable;

use std::collections::{HashMap, HashSet};

use hato_testkit::client::Client;
use hato_testkit::fault_proxy::FaultProxy;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions, ScriptedResponse,
};
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::{Value, json};

use crate::fixtures::{app, bulk, get, post, register_in_bulk, start, wait_until};

/// Of so many requests one fails.
const FAILURE_PERIOD: u64 = 20;

/// An app with subscribers at a push service behind a proxy.
struct FaultFixture {
    push: PushService,
    proxy: FaultProxy,
    server: HatoServer,
    app: OwnedApp,
    browsers: Vec<BrowserSubscription>,
}

/// How many times each browser was served.
type DeliveryCounts = HashMap<String, u64>;

impl FaultFixture {
    async fn new(launch: ServerLaunch, recipients: u64) -> Self {
        let mut proxy = FaultProxy::reserve();
        let options = proxy.upstream_options(PushServiceOptions {
            decryption: Decryption::CountOnly,
            ..PushServiceOptions::default()
        });
        let push = PushService::start_with(options).await;
        let push = push.expect("a push service");
        proxy.open();
        let launch = launch
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro");
        let server = start(launch).await;
        let app = app(&server, "owner@example.com").await;
        let recipients = usize::try_from(recipients).expect("not so many");
        let browsers = push.subscribe_many(Some(&app.vapid_public_key), recipients);
        register_in_bulk(&app.admin, &app.id, &browsers).await;
        Self {
            push,
            proxy,
            server,
            app,
            browsers,
        }
    }

    /// Gives everybody the tag.
    async fn tag_everybody(&self, tag: &str) {
        let tagged = self.browsers.iter().map(|browser| {
            let mut registration = browser.registration();
            registration["tags"] = json!([tag]);
            registration
        });
        bulk(&self.app.admin, &self.app.id, &tagged.collect::<Vec<_>>()).await;
    }

    /// The same client, for this run of the server.
    fn current(&self, client: &Client) -> Client {
        client.at(self.server.address())
    }

    /// Sends to everyone, and returns the send's id.
    async fn send(&self) -> String {
        self.send_message(&json!({"title": "t", "body": "b"})).await
    }

    /// Sends this message to everyone.
    async fn send_message(&self, message: &Value) -> String {
        let reply = post(&self.current(&self.app.backend), "/api/v1/notify", message).await;
        let accepted = reply.json();
        assert_eq!(reply.status, 202, "{reply}");
        assert_eq!(accepted["queued"], self.browsers.len());
        accepted["send_id"].as_str().expect("an id").to_owned()
    }

    /// Sends to everyone when whoever comes after `first` requests is answered `then`, and waits until so many have come. What each was
    /// served before, and the send's id.
    async fn send_to_first(&self, first: u64, then: ScriptedResponse) -> (DeliveryCounts, String) {
        self.push.respond_by_number(move |number| {
            if number < first {
                ScriptedResponse::Created
            } else {
                then.clone()
            }
        });
        let before = self.served();
        let send = self.send().await;
        self.push
            .wait_until(|seen| seen.total.requests >= first)
            .await;
        (before, send)
    }

    /// The send's item in the history once it is done.
    async fn finish(&self, send: &str) -> Value {
        let path = format!("/api/v1/apps/{}/notifications/{send}", self.app.id);
        wait_until(&self.current(&self.app.owner), &path, |it| {
            it["status"] == "done"
        })
        .await
    }

    fn served(&self) -> DeliveryCounts {
        let count = |it: &BrowserSubscription| {
            let created = self.push.seen(|seen| seen.counts(&it.id).created);
            (it.id.clone(), created)
        };
        self.browsers.iter().map(count).collect()
    }

    /// Everybody was sent the message or has a dead letter of this send; nobody was passed over, and whoever has no dead letter
    /// was served since `before`. Returns how many copies there were beyond one for each.
    async fn assert_nothing_lost(&self, outcome: &Value, before: &DeliveryCounts) -> u64 {
        let count = |name: &str| outcome[name].as_u64().expect("a count");
        let known = count("sent_count") + count("failed_count");
        assert_eq!(known, count("recipients"), "{outcome}");
        let failed = self.failed(&outcome["send_id"]).await;
        assert_eq!(failed.len() as u64, count("failed_count"), "{outcome}");
        let now = self.served();
        let mut extra = 0;
        for browser in &self.browsers {
            let copies = now[&browser.id] - before[&browser.id];
            let is_known = copies > 0 || failed.contains(&browser.endpoint);
            assert!(is_known, "{} was lost: {outcome}", browser.endpoint);
            extra += copies.saturating_sub(1);
        }
        self.push.assert_no_violations();
        self.assert_statistics_agree().await;
        extra
    }

    /// The line of a page that waits to be settled says why it does.
    fn assert_cause_is_logged(&self, cause: &str) {
        let log = self.server.log();
        let of_page = |line: &&str| line.contains("a page cannot be settled yet");
        let line = log.lines().find(of_page).expect("it was logged");
        assert!(line.contains(cause), "{line}");
    }

    /// The statistics are the sums of the history, whose sends are all done.
    async fn assert_statistics_agree(&self) {
        let history = self.history().await;
        let sum = |items: &[Value], name: &str| -> u64 {
            let counts = items.iter().map(|it| it[name].as_u64().expect("a count"));
            counts.sum()
        };
        let path = format!("/api/v1/apps/{}/stats", self.app.id);
        let stats = get(&self.current(&self.app.owner), &path).await.json();
        let days = stats["daily"].as_array().expect("days");
        let (sent, failed) = (sum(&history, "sent_count"), sum(&history, "failed_count"));
        let totals = ["totalSent", "totalFailed", "monthlySent"].map(|name| &stats[name]);
        let daily = ["sends", "sent", "failed"].map(|name| sum(days, name));
        assert_eq!(
            totals,
            [sent, failed, sum(&history, "recipients")],
            "{stats}"
        );
        assert_eq!(daily, [history.len() as u64, sent, failed], "{stats}");
    }

    /// All sends of the app, newest first.
    async fn history(&self) -> Vec<Value> {
        let owner = self.current(&self.app.owner);
        let first = format!("/api/v1/apps/{}/notifications?limit=100", self.app.id);
        let (mut items, mut path) = (Vec::new(), first.clone());
        loop {
            let mut page = get(&owner, &path).await.json();
            items.append(page["items"].as_array_mut().expect("items"));
            let Some(before) = page["next_before"].as_i64() else {
                return items;
            };
            let id = page["next_before_id"].as_str().expect("an id");
            path = format!("{first}&before={before}&before_id={id}");
        }
    }

    /// The endpoints of a send's dead letters, which are few.
    async fn failed(&self, send: &Value) -> HashSet<String> {
        let path = format!("/api/v1/apps/{}/dead-letters?limit=100", self.app.id);
        let reply = self.current(&self.app.owner).get(&path).await;
        let page = reply.expect("an answer").json();
        let items = page["items"].as_array().expect("items").iter();
        items
            .filter(|item| item["send_id"] == *send)
            .map(|item| item["endpoint"].as_str().expect("an endpoint").to_owned())
            .collect()
    }
}
