//! What becomes of recipients by what the push service answers them, and that each of it is on record, counted and told once.

use std::collections::HashMap;

use hato_testkit::push_service::{BrowserSubscription, ScriptedResponse};
use hato_testkit::webhook_receiver::{ReceiverResponse, WebhookReceiver};
use serde_json::{Value, json};

use crate::fixtures::{Fleet, wait_until};

/// How many events are posted no more though the last that is kept of their attempts did not arrive. Old attempts are removed before
/// their events are, so an event without any may have arrived.
const GIVEN_UP: &str = "SELECT COUNT(*) FROM webhook_events AS event WHERE due_at IS NULL AND 204 <>
    (SELECT COALESCE(http_status, 0) FROM webhook_attempts AS attempt WHERE attempt.event_id = event.id ORDER BY id DESC LIMIT 1)";

/// What the push service answers one subscription at all times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Sent,
    /// It is unavailable at first.
    SentLater,
    Expired,
    /// It answers with this status.
    Failed(u16),
}

impl Fate {
    /// Most are sent to.
    fn of(place: usize) -> Self {
        match place % 40 {
            3 => Self::Expired,
            11 => Self::Failed(400),
            19 => Self::Failed(500),
            27 => Self::SentLater,
            _ => Self::Sent,
        }
    }

    /// What webhooks call it.
    fn status(self) -> &'static str {
        match self {
            Self::Sent | Self::SentLater => "sent",
            Self::Expired => "expired",
            Self::Failed(_) => "failed",
        }
    }
}

/// The fates of the recipients of a send.
pub struct Fates(Vec<(BrowserSubscription, Fate)>);

impl Fates {
    /// Who is sent to in the end.
    pub fn sent(&self) -> Vec<BrowserSubscription> {
        self.with("sent")
    }

    /// Who is still subscribed afterwards.
    pub fn remaining(&self) -> Vec<BrowserSubscription> {
        [self.with("sent"), self.with("failed")].concat()
    }

    fn with(&self, status: &str) -> Vec<BrowserSubscription> {
        let with = self.0.iter().filter(|(_, fate)| fate.status() == status);
        with.map(|(browser, _)| browser.clone()).collect()
    }

    /// By the subscription's id, what webhooks call it.
    fn statuses(&self) -> HashMap<String, &'static str> {
        let status = |(browser, fate): &(BrowserSubscription, Fate)| {
            (format!("sub_{}", browser.id), fate.status())
        };
        self.0.iter().map(status).collect()
    }
}

impl Fleet {
    /// Decides what the push service answers each of them from now on.
    pub fn assign_fates(&self, recipients: &[BrowserSubscription]) -> Fates {
        let fates = recipients.iter().enumerate().map(|(place, browser)| {
            let fate = Fate::of(place);
            let answer = match fate {
                Fate::Sent | Fate::SentLater => ScriptedResponse::Created,
                Fate::Expired => ScriptedResponse::Status(410),
                Fate::Failed(status) => ScriptedResponse::Status(status),
            };
            self.push.always_respond(browser, answer);
            if fate == Fate::SentLater {
                self.push.script(browser, [ScriptedResponse::Status(503)]);
            }
            (browser.clone(), fate)
        });
        Fates(fates.collect())
    }

    /// Each failure of the send is on record and counted once.
    pub fn assert_failures(&self, send: &str, fates: &Fates) {
        let [taken, expired, failed] = ["sent", "expired", "failed"].map(|it| fates.with(it));
        let counted =
            "SELECT sent, failed_expired, failed_other, skipped, cancelled FROM sends WHERE id = ";
        assert_eq!(
            self.query(&format!("{counted}'{send}'")),
            format!("{}|{}|{}|0|0", taken.len(), expired.len(), failed.len())
        );
        let dead_letters =
            format!("SELECT subscription_id FROM dead_letters WHERE send_id = '{send}'");
        let dead_letters = self.query(&dead_letters);
        let mut dead_letters: Vec<_> = dead_letters.lines().map(str::to_owned).collect();
        let mut expected: Vec<_> = failed.iter().map(|it| format!("sub_{}", it.id)).collect();
        dead_letters.sort_unstable();
        expected.sort_unstable();
        assert_eq!(dead_letters, expected);
        let by_reason =
            format!("SELECT SUM(recipients) FROM send_failures WHERE send_id = '{send}'");
        let all = expired.len() + failed.len();
        assert_eq!(self.query(&by_reason), all.to_string());
    }

    /// So many subscriptions have expired so far, each of which was counted once.
    pub fn assert_expired(&self, expired: usize) {
        let counted =
            self.query("SELECT active_subscriptions, deactivated_subscriptions FROM apps");
        let left = self.browsers.len() - expired;
        assert_eq!(counted, format!("{left}|{expired}"));
        let gone = "SELECT COUNT(*) FROM subscriptions WHERE position IS NULL";
        assert_eq!(self.query(gone), expired.to_string());
    }

    /// What the database counts is what is in it.
    pub async fn assert_sound(&self) {
        let checked = self.apis[0].launch().command("check").output().await;
        let checked = checked.expect("the program runs");
        let said = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{said}");
    }

    /// A receiver of the app's events, which fails now and then, less often than an event is posted again.
    pub async fn receive_events(&self) -> WebhookReceiver {
        let receiver = WebhookReceiver::start(self.push.ca()).await;
        let failures = [
            ReceiverResponse::Status(500),
            ReceiverResponse::Status(204),
            ReceiverResponse::Close,
            ReceiverResponse::Status(204),
            ReceiverResponse::RetryAfter(1),
        ];
        receiver.script(failures);
        let path = format!("/api/v1/apps/{}", self.app.id);
        let webhook = json!({"webhook_url": receiver.url()});
        let set = self.at(&self.app.owner, 0).patch(&path, &webhook).await;
        let set = set.expect("an answer");
        assert_eq!(set.status, 200, "{set}");
        receiver
    }

    /// Each recipient of the sends was told of once, and each end once; an event that came again was the same one.
    pub async fn assert_events(&self, receiver: &WebhookReceiver, sends: &[(String, Fates)]) {
        let waiting = "SELECT COUNT(*) FROM webhook_events WHERE due_at IS NOT NULL";
        wait_until(async || self.query(waiting) == "0", "events wait").await;
        let mut events: HashMap<String, Value> = HashMap::new();
        for event in receiver.seen() {
            let before = events.insert(event.id(), event.json());
            assert!(before.is_none_or(|it| it == event.json()), "{}", event.id());
        }
        assert_eq!(self.query(GIVEN_UP), "0", "events");
        let made = self.query("SELECT public_id FROM webhook_events");
        // Those that were posted long ago may be gone.
        assert!(made.lines().all(|id| events.contains_key(id)), "{made}");
        for (send, fates) in sends {
            let of_send = events.values().filter(|it| it["data"]["send_id"] == **send);
            let of_send: Vec<&Value> = of_send.collect();
            let ends = of_send.iter().filter(|it| it["type"] == "send.completed");
            let ends: Vec<_> = ends.collect();
            assert_eq!(ends.len(), 1, "{ends:?}");
            let sent = fates.sent().len();
            assert_eq!(ends[0]["data"]["sent_count"], sent, "{}", ends[0]);
            let results = of_send
                .iter()
                .filter_map(|event| event["data"]["results"].as_array());
            let mut expected = fates.statuses();
            for result in results.flatten() {
                let subscription = result["subscription_id"].as_str().expect("an id");
                let status = expected.remove(subscription);
                let status = status.unwrap_or_else(|| panic!("{subscription} again, or nobody"));
                assert_eq!(result["status"], status, "{result}");
            }
            assert!(expected.is_empty(), "{} in no event", expected.len());
        }
    }
}
