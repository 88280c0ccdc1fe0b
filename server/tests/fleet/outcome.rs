//! What became of a send to everybody: what the history says, and what the push service has seen.

use std::collections::{HashMap, HashSet};

use hato_testkit::push_service::BrowserSubscription;
use serde_json::Value;
use tokio::time::{interval, timeout};

use crate::claims::Lost;
use crate::fixtures::{Fleet, POLL_INTERVAL, WAIT_TIMEOUT, get};

/// How many messages the push service has taken for each subscription.
pub type Served = HashMap<String, u64>;

impl Fleet {
    /// The send's item in the history, as one of the API's processes shows it.
    pub async fn history(&self, api: usize, send: &str) -> Value {
        let path = format!("/api/v1/apps/{}/notifications/{send}", self.app.id);
        get(&self.at(&self.app.owner, api), &path).await.json()
    }

    /// How many messages push services have taken from each worker.
    pub async fn shares(&self) -> Vec<u64> {
        let mut shares = Vec::new();
        for worker in &self.workers {
            shares.push(worker.sent_messages().await.expect("its metrics"));
        }
        shares
    }

    /// The send's item once it is done. Its counts only grow until then, and never pass the recipients.
    pub async fn finish(&self, send: &str) -> Value {
        let mut last = 0;
        let asking = async {
            let mut ticks = interval(POLL_INTERVAL);
            loop {
                ticks.tick().await;
                let item = self.history(0, send).await;
                let Some(recipients) = item["recipients"].as_u64() else {
                    continue;
                };
                let known = known(&item);
                assert!(last <= known && known <= recipients, "{last}: {item}");
                last = known;
                if item["status"] == "done" {
                    return item;
                }
            }
        };
        let done = timeout(WAIT_TIMEOUT, asking).await;
        done.unwrap_or_else(|_| panic!("{send} is not done: {}", self.logs()))
    }

    /// Waits until the push service has seen so many further requests; false when the send is done before.
    pub async fn reaches(&self, further: u64, send: &str) -> bool {
        let moment = self.push.seen(|seen| seen.total.requests) + further;
        tokio::select! {
            () = self.push.wait_until(|seen| seen.total.requests >= moment) => true,
            _ = self.finish(send) => false,
        }
    }

    /// How many messages each subscription was served.
    pub fn served(&self) -> Served {
        let count = |it: &BrowserSubscription| {
            let created = self.push.seen(|seen| seen.counts(&it.id).created);
            (it.id.clone(), created)
        };
        self.browsers.iter().map(count).collect()
    }

    /// Everybody was counted as sent to, once, and was served since `before`; more than once only for pages that were lost.
    pub fn assert_exact(&self, outcome: &Value, before: &Served, lost: &Lost) {
        self.assert_exact_for(&self.browsers, outcome, before, lost);
    }

    /// The same of a send by which these are sent to. Nobody else was served, and everybody was counted.
    pub fn assert_exact_for(
        &self,
        sent: &[BrowserSubscription],
        outcome: &Value,
        before: &Served,
        lost: &Lost,
    ) {
        assert_eq!(outcome["sent_count"], sent.len(), "{outcome}");
        assert_eq!(outcome["recipients"], known(outcome), "{outcome}");
        let sent: HashSet<_> = sent.iter().map(|it| &it.id).collect();
        let now = self.served();
        for id in self.browsers.iter().map(|it| &it.id) {
            let copies = now[id] - before.get(id).copied().unwrap_or_default();
            if !sent.contains(id) {
                assert_eq!(copies, 0, "{id} is not sent to: {outcome}");
                continue;
            }
            assert!(copies > 0, "{id} was lost: {outcome}");
            let most = 1 + lost.copies(id);
            assert!(copies <= most, "{copies} copies to {id}: {outcome}");
        }
        self.push.assert_no_violations();
    }
}

/// How many recipients of a send were counted.
fn known(item: &Value) -> u64 {
    let counts = ["sent_count", "failed_count", "skipped_count"];
    let count = |name: &str| item[name].as_u64().expect("a count");
    counts.map(count).iter().sum()
}
