//! SIGKILL at random moments.

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::seeded_rng;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{DeliveryCounts, FAILURE_PERIOD, FaultFixture};
use crate::fixtures::{BINARY, env_or, start};

const RECIPIENTS: u64 = 5_000;
/// Requests of a send at least: everybody gets one, and one in 20 fails.
const REQUESTS: u64 = RECIPIENTS + RECIPIENTS / FAILURE_PERIOD;
/// Requests that the push service may still have been answering when it was counted: much less than a page.
const MAX_IN_FLIGHT: u64 = 100;
/// Recipients that may be so unlucky that each of their attempts fails: of 5,000, with one in 20 failing, 0.03.
const MAX_FAILED: u64 = 5;
/// Kills during one send at most.
const KILLS_OF_A_SEND: u64 = 3;

impl FaultFixture {
    /// Waits until the push service has seen so many further requests; false when the send is done before.
    async fn reaches(&self, further: u64, send: &str) -> bool {
        let moment = self.push.seen(|seen| seen.total.requests) + further;
        tokio::select! {
            () = self.push.wait_until(|seen| seen.total.requests >= moment) => true,
            _ = self.finish(send) => false,
        }
    }

    /// How many of a send's recipients are on record as served, while nobody delivers.
    async fn recorded(&self, send: &str) -> u64 {
        let launch = self.server.launch().clone();
        let mut reader = start(launch.env("HATO_ROLE", "api")).await;
        let owner = self.app.owner.at(reader.address());
        let path = format!("/api/v1/apps/{}/notifications/{send}", self.app.id);
        let item = owner.get(&path).await.expect("an answer").json();
        reader.terminate().await.expect("it stops");
        item["sent_count"].as_u64().expect("a count")
    }

    /// How many messages the push service has taken since `before`.
    fn taken(&self, before: &DeliveryCounts) -> u64 {
        let now = self.served();
        now.iter().map(|(id, count)| count - before[id]).sum()
    }

    /// Kills the server and starts it again; returns how many messages were taken since `before` and are not on record.
    async fn kill(&mut self, send: &str, before: &DeliveryCounts) -> u64 {
        self.server.kill().await;
        let recorded = self.recorded(send).await;
        let taken = self.taken(before);
        self.server.restart().await.expect("it starts again");
        assert!(taken >= recorded, "{recorded} of {taken} are on record");
        taken - recorded
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn a_server_killed_at_any_moment_loses_nothing_and_counts_exactly(database: TestDatabase) {
    survive_kills(database, json!({"title": "t", "body": "b"})).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn nor_does_one_that_is_killed_during_a_paced_send(database: TestDatabase) {
    let paced = json!({"title": "t", "body": "b", "max_per_minute": 60_000});
    survive_kills(database, paced).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn nor_does_one_that_is_killed_during_a_send_to_a_tag(database: TestDatabase) {
    let to_tag = json!({"title": "t", "body": "b", "to": {"tags": "news && !muted"}});
    survive_kills(database, to_tag).await;
}

/// Sends the message, which is for everyone, while the server is killed again and again.
async fn survive_kills(database: TestDatabase, message: Value) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let mut fixture = FaultFixture::new(launch, RECIPIENTS).await;
    fixture.tag_everybody("news").await;
    fixture
        .push
        .respond_by_number(|number| match number % FAILURE_PERIOD {
            7 => ScriptedResponse::Status(500),
            _ => ScriptedResponse::Created,
        });
    let mut rng = seeded_rng::from_env();
    let mut left = env_or("HATO_KILLS", 3);
    while left > 0 {
        let before = fixture.served();
        let send = fixture.send_message(&message).await;
        let (mut killed, mut unrecorded) = (0, 0);
        while killed < left.min(KILLS_OF_A_SEND)
            && fixture.reaches(rng.u64(1..REQUESTS), &send).await
        {
            unrecorded = fixture.kill(&send, &before).await;
            killed += 1;
        }
        left -= killed;
        let outcome = fixture.finish(&send).await;
        let extra = fixture.assert_nothing_lost(&outcome, &before).await;
        assert!(
            outcome["failed_count"].as_u64() <= Some(MAX_FAILED),
            "{outcome}"
        );
        println!("{killed} kills, {extra} extra copies to {RECIPIENTS}: {outcome}");
        assert!(
            extra <= unrecorded + MAX_IN_FLIGHT,
            "more than the {unrecorded} of pages in flight"
        );
    }
}
