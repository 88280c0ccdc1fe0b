//! SIGKILL at random moments.

mod accepting;
mod in_flight;

use std::time::Duration;

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::seeded_rng::{self, Rng};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{DeliveryCounts, FAILURE_PERIOD, FaultFixture};
use crate::fixtures::{env_or, start, tested_program};

/// Recipients, unless a longer run has more.
const RECIPIENTS: u64 = 5_000;
/// Requests that the push service may still have been answering when it was counted: much less than a page.
const MAX_LATE: u64 = 100;
/// Recipients that may be so unlucky that each of their attempts fails: of 5,000, with one in 20 failing, 0.03.
const MAX_FAILED: u64 = 5;
/// Kills during one send, and one more at most, of a server that starts.
const KILLS_OF_A_SEND: u64 = 3;
/// Longer than a server takes until it claims pages.
const STARTING_MILLIS: u64 = 1_500;

impl FaultFixture {
    /// Waits until the push service has seen so many further requests; false when the send is done before.
    async fn reaches(&self, further: u64, send: &str) -> bool {
        let moment = self.push.seen(|seen| seen.total.requests) + further;
        tokio::select! {
            () = self.push.wait_until(|seen| seen.total.requests >= moment) => true,
            _ = self.finish(send) => false,
        }
    }

    /// Starts a server and kills it while it starts, or just after.
    async fn kill_at_the_start(&self, rng: &mut Rng) {
        let mut serve = self.server.launch().command("serve");
        let server = serve.env("HATO_LISTEN", "127.0.0.1:0").spawn();
        let mut server = server.expect("it starts");
        sleep(Duration::from_millis(rng.u64(..STARTING_MILLIS))).await;
        server.kill().await.expect("it is our child");
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

    /// Each browser has got one message at most since `before`; a copy only whoever was in a page in flight at a kill, and for each such
    /// page one.
    fn assert_only_in_flight_copied(&self, before: &DeliveryCounts, in_flight: &DeliveryCounts) {
        let now = self.served();
        for id in self.browsers.iter().map(|it| &it.id) {
            let taken = now[id] - before[id];
            let most = 1 + in_flight.get(id).copied().unwrap_or_default();
            assert!(taken <= most, "{id} has got {taken} and not {most} at most");
        }
    }

    /// How many messages the push service has taken since `before`.
    fn taken(&self, before: &DeliveryCounts) -> u64 {
        let now = self.served();
        now.iter().map(|(id, count)| count - before[id]).sum()
    }
}

/// A send during which the server is killed.
struct InterruptedSend {
    id: String,
    /// How many messages each had been served before it.
    before: DeliveryCounts,
    kills: u64,
    /// Messages that were taken and were not on record at a kill: their pages are delivered once more.
    unrecorded: u64,
    /// In how many pages in flight each browser was at a kill.
    in_flight: DeliveryCounts,
    /// When the server that is running was started, Unix milliseconds.
    started: i64,
}

impl InterruptedSend {
    /// Kills the server, and every second time the one after it while it starts, and starts it again.
    async fn kill(&mut self, fixture: &mut FaultFixture, rng: &mut Rng) {
        fixture.server.kill().await;
        self.note_kill(fixture).await;
        if rng.bool() {
            fixture.kill_at_the_start(rng).await;
            self.note_kill(fixture).await;
        }
        fixture.server.restart().await.expect("it starts again");
    }

    /// What was taken since the killed server's start and is not on record is of pages that it had claimed.
    async fn note_kill(&mut self, fixture: &FaultFixture) {
        self.kills += 1;
        let in_flight = fixture.in_flight(self.started).await;
        in_flight.assert_bounded();
        let recorded = fixture.recorded(&self.id).await;
        let taken = fixture.taken(&self.before);
        let unrecorded = taken.checked_sub(recorded + self.unrecorded);
        let unrecorded = unrecorded.expect("whatever is on record was taken");
        let (pages, recipients) = (in_flight.pages, in_flight.recipients());
        println!(
            "killed with {pages} pages of {recipients} in flight, {unrecorded} of them taken and not on record"
        );
        assert!(unrecorded <= recipients, "more than was claimed");
        self.unrecorded += unrecorded;
        in_flight.add_to(&mut self.in_flight);
        self.started = in_flight::now();
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
    let launch =
        ServerLaunch::on(tested_program(), database).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let recipients = env_or("HATO_RECIPIENTS", RECIPIENTS);
    let mut fixture = FaultFixture::new(launch, recipients).await;
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
        let kills = left.min(KILLS_OF_A_SEND);
        let killed = survive_kills_of_a_send(&mut fixture, &mut rng, kills, &message).await;
        left = left.saturating_sub(killed);
    }
}

/// Sends the message while the server is killed so often, and once more at most; returns how often that was.
async fn survive_kills_of_a_send(
    fixture: &mut FaultFixture,
    rng: &mut Rng,
    kills: u64,
    message: &Value,
) -> u64 {
    let recipients = fixture.browsers.len() as u64;
    // Everybody gets one request at least, and one in 20 fails.
    let requests = recipients + recipients / FAILURE_PERIOD;
    let mut send = InterruptedSend {
        before: fixture.served(),
        id: fixture.send_message(message).await,
        kills: 0,
        unrecorded: 0,
        in_flight: DeliveryCounts::new(),
        started: 0,
    };
    while send.kills < kills && fixture.reaches(rng.u64(1..requests), &send.id).await {
        send.kill(fixture, rng).await;
    }
    let outcome = fixture.finish(&send.id).await;
    let extra = fixture.assert_nothing_lost(&outcome, &send.before).await;
    fixture.assert_only_in_flight_copied(&send.before, &send.in_flight);
    let InterruptedSend {
        kills, unrecorded, ..
    } = send;
    assert!(
        outcome["failed_count"].as_u64() <= Some(MAX_FAILED),
        "{outcome}"
    );
    println!("{kills} kills, {extra} extra copies to {recipients}: {outcome}");
    assert!(
        extra <= unrecorded + MAX_LATE,
        "more than the {unrecorded} of pages in flight"
    );
    kills
}
