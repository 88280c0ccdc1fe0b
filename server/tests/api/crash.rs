//! What was accepted is delivered, whatever happens to the process (CONTRACT 1, 7).

use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions, ScriptedResponse, SeenTraffic,
};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, post, register_in_bulk, start, wait_until};

const RECIPIENTS: usize = 2_000;
/// After so many answers the push service falls silent: the process dies with pages settled, begun and untouched.
const ANSWERED_REQUESTS: u64 = 700;
const GONE: usize = 10;
const LEAVING: usize = 5;

struct CrashFixture {
    push: PushService,
    server: HatoServer,
    app: OwnedApp,
    browsers: Vec<BrowserSubscription>,
}

async fn setup(database: TestDatabase) -> CrashFixture {
    let options = PushServiceOptions {
        decryption: Decryption::EveryNth(50),
        ..PushServiceOptions::default()
    };
    let push = PushService::start_with(options)
        .await
        .expect("a push service");
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), RECIPIENTS);
    register_in_bulk(&app.admin, &app.id, &browsers).await;
    CrashFixture {
        push,
        server,
        app,
        browsers,
    }
}

impl CrashFixture {
    /// Sends the message, which is for everyone, and returns when the push service has fallen silent in the middle.
    async fn send_until_silence(&self, message: &Value) {
        for gone in &self.browsers[..GONE] {
            self.push
                .always_respond(gone, ScriptedResponse::Status(410));
        }
        self.push.respond_by_number(|number| {
            if number < ANSWERED_REQUESTS {
                ScriptedResponse::Created
            } else {
                ScriptedResponse::Hang
            }
        });
        let reply = post(&self.app.backend, "/api/v1/notify", message).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["queued"]),
            (202, &json!(RECIPIENTS))
        );
        self.push
            .wait_until(|seen| seen.total.requests > ANSWERED_REQUESTS)
            .await;
        assert!(self.push.seen(SeenTraffic::subscriptions_served) < RECIPIENTS - GONE);
    }

    /// Starts the server again on a willing push service, and waits for the end of the send.
    async fn finish(&mut self) -> Value {
        self.push.respond_by_default(ScriptedResponse::Created);
        self.server.restart().await.expect("it starts again");
        let client = self.server.client();
        let session = client.log_in("owner@example.com", PASSWORD).await;
        let owner = client.bearer(&session.expect("a session"));
        let path = format!("/api/v1/apps/{}/notifications", self.app.id);
        let history = wait_until(&owner, &path, |it| it["items"][0]["status"] == "done").await;
        history["items"][0].clone()
    }

    fn assert_everybody_served(&self, except: &[BrowserSubscription]) {
        self.push.seen(|seen| {
            for browser in &self.browsers[GONE..] {
                let served = seen.counts(&browser.id).created > 0;
                assert!(
                    served || except.contains(browser),
                    "{} was not served",
                    browser.id
                );
            }
        });
        self.push.assert_no_violations();
    }
}

fn count(send: &Value, name: &str) -> usize {
    let count = send[name]
        .as_u64()
        .unwrap_or_else(|| panic!("no {name} in {send}"));
    usize::try_from(count).expect("a small number")
}

/// A message to everyone.
fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

#[on_each_database(flavor = "multi_thread")]
async fn a_killed_server_serves_everybody_and_counts_exactly(database: TestDatabase) {
    assert_exact_after_kill(database, &message()).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn a_killed_server_serves_whoever_was_selected(database: TestDatabase) {
    let mut selected = message();
    selected["to"] = json!({"tags": "!nobody-has-this"});
    assert_exact_after_kill(database, &selected).await;
}

/// Kills the server in the middle of this send to all, while some of them leave.
async fn assert_exact_after_kill(database: TestDatabase, message: &Value) {
    let mut fixture = setup(database).await;
    fixture.send_until_silence(message).await;
    let leaving = fixture.browsers[RECIPIENTS - LEAVING..].to_vec();
    let path = format!("/api/v1/apps/{}/subscriptions", fixture.app.id);
    for browser in &leaving {
        let body = json!({"endpoint": browser.endpoint});
        let reply = fixture
            .app
            .frontend
            .delete_with(&path, &body)
            .await
            .expect("an answer");
        assert_eq!(reply.status, 200, "{reply}");
    }
    fixture.server.kill().await;
    let outcome = fixture.finish().await;

    fixture.assert_everybody_served(&leaving);
    let (sent, skipped) = (
        count(&outcome, "sent_count"),
        count(&outcome, "skipped_count"),
    );
    assert_eq!(count(&outcome, "recipients"), RECIPIENTS, "{outcome}");
    assert_eq!(count(&outcome, "failed_expired"), GONE, "{outcome}");
    assert_eq!(count(&outcome, "failed_other"), 0, "{outcome}");
    assert_eq!(sent + skipped, RECIPIENTS - GONE, "{outcome}");
    assert!(skipped <= LEAVING, "{outcome}");
}

#[on_each_database(flavor = "multi_thread")]
async fn a_stopped_server_ends_well_and_goes_on_later(database: TestDatabase) {
    let mut fixture = setup(database).await;
    fixture.send_until_silence(&message()).await;
    let status = fixture.server.terminate().await.expect("it stops");
    assert_eq!(status.code(), Some(0), "{}", fixture.server.log());
    let outcome = fixture.finish().await;

    fixture.assert_everybody_served(&[]);
    assert_eq!(count(&outcome, "failed_expired"), GONE, "{outcome}");
    assert_eq!(
        count(&outcome, "sent_count"),
        RECIPIENTS - GONE,
        "{outcome}"
    );
    assert_eq!(count(&outcome, "skipped_count"), 0, "{outcome}");
}
