//! SIGKILL while browsers report: only what came since the last count may be lost, and nothing counts twice (CONTRACT 15).

use std::collections::HashSet;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use hato_testkit::push_service::{ScriptedResponse, SeenTraffic};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::{CountingApp, PATH};
use crate::fixtures::{get, post, wait_until};

impl CountingApp {
    /// Reports `early` and, once that is counted, all of `late` at once; kills the server at the first answer. Returns how many were
    /// displayed by what is then on record.
    async fn kill_while_reporting(&mut self, path: &str, early: &[String], late: &[String]) -> u64 {
        self.report_all(early, "displayed").await;
        self.counted(path, "displayed_count", early.len()).await;
        let client = self.server.client();
        let report = async |token| {
            let report = json!({"token": token, "event": "displayed"});
            client.post(PATH, &report).await
        };
        let mut in_flight: FuturesUnordered<_> = late.iter().map(report).collect();
        let first = in_flight.next().await.expect("a report");
        assert_eq!(first.expect("an answer").status, 204);
        self.server.kill().await;
        // The others may have come or not, and nobody knows which.
        while in_flight.next().await.is_some() {}
        self.server.restart().await.expect("it starts again");
        let send = get(&self.owner().await, path).await.json();
        send["displayed_count"].as_u64().expect("a count")
    }

    /// A token of each recipient who was served: that of the first message.
    fn tokens_of_served(&self) -> Vec<String> {
        let mut served = HashSet::new();
        self.push.seen(|seen| {
            let messages = seen.messages.iter();
            let taken = messages.filter(|it| it.answer == ScriptedResponse::Created);
            let first = taken.filter(|it| served.insert(it.subscription.clone()));
            let tokens = first.map(|it| it.json()["t"].as_str().map(str::to_owned));
            tokens.map(|it| it.expect("a token")).collect()
        })
    }

    /// Reports all of them, and again; nothing that was counted counts a second time.
    async fn assert_exact(&self, path: &str, tokens: &[String]) {
        for _ in 0..2 {
            self.report_all(tokens, "displayed").await;
        }
        // By the time that this is counted, so is what was reported before.
        self.report_all(&tokens[..1], "dismissed").await;
        let send = self.counted(path, "dismissed_count", 1).await;
        assert_eq!(send["displayed_count"], tokens.len(), "{send}");
        assert_eq!(send["sent_count"], tokens.len(), "{send}");
        let stats = get(&self.app.admin.at(self.server.address()), "/api/v1/stats").await;
        assert_eq!(stats.json()["totalDisplayed"], tokens.len());
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn a_killed_server_loses_no_report_that_is_counted(database: TestDatabase) {
    let mut counting = CountingApp::new(database, 80).await;
    let path = counting.send().await;
    let tokens = counting.tokens();
    let (early, late) = tokens.split_at(40);
    let counted = counting.kill_while_reporting(&path, early, late).await;
    assert!((40..=80).contains(&counted), "{counted}");
    counting.assert_exact(&path, &tokens).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn and_so_does_one_that_is_killed_during_a_send(database: TestDatabase) {
    const RECIPIENTS: usize = 80;
    let mut counting = CountingApp::new(database, RECIPIENTS).await;
    counting.push.respond_by_number(|number| match number {
        0..60 => ScriptedResponse::Created,
        _ => ScriptedResponse::Hang,
    });
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&counting.app.backend, "/api/v1/notify", &message).await;
    let id = sent.json()["send_id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/apps/{}/notifications/{id}", counting.app.id);
    let taken = |seen: &SeenTraffic| {
        let messages = seen.messages.iter();
        let taken = messages.filter(|it| it.answer == ScriptedResponse::Created);
        taken.count()
    };
    let is_silent = |seen: &SeenTraffic| taken(seen) == 60 && seen.messages.len() > 60;
    counting.push.wait_until(is_silent).await;
    let tokens = counting.tokens_of_served();
    let (early, late) = tokens.split_at(30);
    let counted = counting.kill_while_reporting(&path, early, late).await;
    assert!((30..=60).contains(&counted), "{counted}");

    counting.push.respond_by_default(ScriptedResponse::Created);
    wait_until(&counting.owner().await, &path, |it| it["status"] == "done").await;
    let tokens = counting.tokens_of_served();
    assert_eq!(tokens.len(), RECIPIENTS);
    counting.assert_exact(&path, &tokens).await;
}
