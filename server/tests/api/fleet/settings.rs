//! What is set at one server is obeyed by the other with its next request, and in what it delivers next (CONTRACT 17).

use std::time::Duration;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::webhook_receiver::{Event, WebhookReceiver};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::limits::USE_UP;
use super::{ServerPair, launch};
use crate::admin::admin;
use crate::fixtures::{get, post, start, subscribe, wait_until};

const NOTIFY: &str = "/api/v1/notify";
/// How long an event may take: debug builds on a busy machine included.
const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

async fn patch(client: &Client, path: &str, change: &Value) -> Reply {
    client.patch(path, change).await.expect("an answer")
}

fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

/// An app at two servers, of which the first is told what is changed, and the second alone delivers.
struct DividedFleet {
    push: PushService,
    fleet: ServerPair,
    app: OwnedApp,
}

impl DividedFleet {
    async fn start() -> Self {
        let push = PushService::start().await;
        let launch = launch().await.with_push_service(&push);
        let launch = launch.env("HATO_DEFAULT_PLAN", "pro");
        let api = start(launch.clone().env("HATO_ROLE", "api"));
        let (one, other) = tokio::join!(api, start(launch));
        let fleet = ServerPair {
            servers: [one, other],
        };
        let app = fleet.app().await;
        Self { push, fleet, app }
    }

    /// The second server, which is told nothing.
    fn other(&self, client: &Client) -> Client {
        self.fleet.client(client, 1)
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/apps/{}{rest}", self.app.id)
    }

    async fn change(&self, change: &Value) {
        let changed = patch(&self.app.owner, &self.path(""), change).await;
        assert_eq!(changed.status, 200, "{changed}");
    }

    /// Registers a browser that has subscribed with this key at the second server.
    async fn subscribe(&self, key: &str) -> BrowserSubscription {
        let browser = self.push.subscribe(Some(key));
        let mut body = browser.registration();
        body["vapid_public_key"] = key.into();
        let frontend = self.other(&self.app.frontend);
        let registered = post(&frontend, "/api/v1/subscriptions", &body).await;
        assert_eq!(registered.status, 201, "{registered}");
        browser
    }

    /// Sends to everybody through the second server; the id of the send when it is done.
    async fn send(&self) -> String {
        let sent = post(&self.other(&self.app.backend), NOTIFY, &message()).await;
        assert_eq!(sent.status, 202, "{sent}");
        let id = sent.json()["send_id"].as_str().expect("an id").to_owned();
        let path = self.path(&format!("/notifications/{id}"));
        wait_until(&self.app.owner, &path, |send| send["status"] == "done").await;
        id
    }
}

#[tokio::test]
async fn a_primary_key_that_is_made_at_one_is_named_and_signed_with_by_the_other() {
    let divided = DividedFleet::start().await;
    let first = divided.app.vapid_public_key.as_str();
    let old = divided.subscribe(first).await;
    divided.send().await;

    let owner = &divided.app.owner;
    let made = post(owner, &divided.path("/vapid-keys"), &json!({})).await;
    let made = made.json();
    let (id, key) = (made["id"].as_str(), made["public_key"].as_str());
    let (id, key) = (id.expect("an id"), key.expect("a key"));
    let primary = divided.path(&format!("/vapid-keys/{id}/primary"));
    assert_eq!(post(owner, &primary, &json!({})).await.status, 200);

    let frontend = divided.other(&divided.app.frontend);
    let named = get(&frontend, "/api/v1/vapid-public-key").await;
    assert_eq!(named.json()["publicKey"], key);
    let mut again = old.registration();
    again["vapid_public_key"] = first.into();
    let registered = post(&frontend, "/api/v1/subscriptions", &again).await;
    assert_eq!(registered.json()["vapid_public_key"], key, "{registered}");

    let new = divided.subscribe(key).await;
    divided.send().await;
    let served = |browser: &BrowserSubscription| {
        let counts = divided.push.seen(|seen| seen.counts(&browser.id));
        counts.created
    };
    assert_eq!((served(&old), served(&new)), (2, 1));
    // The push service takes a subscriber's own key alone.
    divided.push.assert_no_violations();
}

#[tokio::test]
async fn settings_of_an_app_are_shown_by_the_other_with_its_next_request() {
    let fleet = ServerPair::with(|launch| {
        launch
            .env("HATO_ROLE", "api")
            .env("HATO_DEFAULT_PLAN", "pro")
    })
    .await;
    let app = fleet.app().await;
    let path = format!("/api/v1/apps/{}", app.id);
    let changes = [
        json!({"site_url": "https://shop.example/"}),
        json!({"declarative": true}),
        json!({"tracking": "counts"}),
        json!({"webhook_url": "https://hook.example/events"}),
        json!({"declarative": false, "tracking": "off"}),
        json!({"site_url": null}),
        json!({"webhook_url": null}),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let answer = patch(&fleet.client(&app.owner, number), &path, &change).await;
        assert_eq!(answer.status, 200, "{answer}");
        let shown = get(&fleet.client(&app.owner, number + 1), &path).await;
        let shown = shown.json();
        for (name, value) in change.as_object().expect("an object") {
            assert_eq!(&shown[name], value, "{name}");
        }
    }
}

#[tokio::test]
async fn a_site_and_what_needs_it_are_judged_alike_at_both() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    let path = format!("/api/v1/apps/{}", app.id);
    let [one, other] = [0, 1].map(|number| fleet.client(&app.owner, number));
    let set = async |client: &Client, change: Value| {
        let changed = patch(client, &path, &change).await;
        changed.status.as_u16()
    };
    let (declarative, site) = (
        json!({"declarative": true}),
        json!({"site_url": "https://shop.example/"}),
    );
    assert_eq!(set(&other, declarative.clone()).await, 400);
    assert_eq!(set(&one, site).await, 200);
    assert_eq!(set(&other, declarative).await, 200);
    let no_site = json!({"site_url": null});
    assert_eq!(set(&one, no_site.clone()).await, 400);
    assert_eq!(set(&other, json!({"declarative": false})).await, 200);
    assert_eq!(set(&one, no_site).await, 200);
}

#[tokio::test]
async fn tracking_that_is_set_at_one_is_obeyed_in_what_the_other_delivers() {
    let divided = DividedFleet::start().await;
    divided.subscribe(&divided.app.vapid_public_key).await;
    for (tracking, has_token) in [("off", false), ("counts", true), ("off", false)] {
        divided.change(&json!({"tracking": tracking})).await;
        divided.send().await;
        let delivered = divided
            .push
            .seen(|seen| seen.messages.last().expect("a message").json());
        let token = &delivered["t"];
        assert_eq!(token.is_string(), has_token, "{tracking}: {delivered}");
    }
    divided.push.assert_no_violations();
}

/// The sends that the receiver was told of, in order.
fn sends(events: &[Event]) -> Vec<String> {
    let sends = events.iter().map(|event| event.json()["data"].clone());
    let sends = sends.map(|data| data["send_id"].as_str().expect("an id").to_owned());
    let mut sends: Vec<_> = sends.collect();
    sends.dedup();
    sends
}

#[tokio::test]
async fn a_webhook_that_is_set_at_one_is_told_of_what_the_other_delivers() {
    let divided = DividedFleet::start().await;
    divided.subscribe(&divided.app.vapid_public_key).await;
    let ca = divided.push.ca();
    let receivers = [
        WebhookReceiver::start(ca).await,
        WebhookReceiver::start(ca).await,
    ];
    let mut by_receiver = [Vec::new(), Vec::new()];
    for place in [Some(0), Some(1), None, Some(0)] {
        let url = place.map(|place: usize| receivers[place].url());
        divided.change(&json!({"webhook_url": url})).await;
        let send = divided.send().await;
        let Some(place) = place else { continue };
        by_receiver[place].push(send);
        // What became of the recipient, and that the send is complete, for each of them.
        let events = 2 * by_receiver[place].len();
        let hearing = receivers[place].wait_until(|seen| seen.len() >= events);
        let heard = timeout(WAIT_TIMEOUT, hearing).await;
        heard.expect("the receiver is told");
    }
    let heard = receivers.map(|receiver| sends(&receiver.seen()));
    assert_eq!(heard, by_receiver);
}

#[tokio::test]
async fn a_plan_that_an_operator_changes_counts_with_the_next_request_at_both() {
    let fleet = ServerPair::of_apis().await;
    let app = fleet.app().await;
    // More than the month has left.
    subscribe(&app, 21).await;
    fleet.servers[0].database().execute(USE_UP);
    for (plan, status) in [("free", 429), ("pro", 202), ("free", 429)] {
        let arguments = ["set-plan", "owner@example.com", plan];
        let set = admin(fleet.servers[0].launch(), &arguments, b"").await;
        assert!(set.status.success(), "{set:?}");
        for number in 0..2 {
            let client = fleet.client(&app.backend, number);
            let reply = post(&client, NOTIFY, &message()).await;
            assert_eq!(reply.status, status, "{plan} at {number}: {reply}");
            let is_refused = reply.text().contains("MONTHLY_LIMIT_EXCEEDED");
            assert_eq!(is_refused, status == 429, "{plan} at {number}: {reply}");
        }
    }
}
