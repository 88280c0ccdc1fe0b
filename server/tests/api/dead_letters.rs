//! Deliveries that finally failed (CONTRACT 4, 7).

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{BrowserSubscription, PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, get, post, start, wait_until};

/// A browser, what its push service always answers, and what becomes of its dead letter.
struct DeadLetterCase {
    answer: ScriptedResponse,
    reason: &'static str,
    http_status: Value,
    attempts: u64,
}

const fn case(
    answer: ScriptedResponse,
    reason: &'static str,
    http_status: Value,
    attempts: u64,
) -> DeadLetterCase {
    DeadLetterCase {
        answer,
        reason,
        http_status,
        attempts,
    }
}

fn cases() -> Vec<DeadLetterCase> {
    let status = ScriptedResponse::Status;
    vec![
        case(status(400), "refused", json!(400), 1),
        case(status(401), "refused", json!(401), 1),
        case(status(403), "refused", json!(403), 1),
        case(status(413), "refused", json!(413), 1),
        case(status(301), "refused", json!(301), 1),
        case(ScriptedResponse::Redirect, "refused", json!(307), 1),
        case(status(203), "refused", json!(203), 1),
        case(status(429), "throttled", json!(429), 4),
        case(
            ScriptedResponse::RetryAfter(429, "0".into()),
            "throttled",
            json!(429),
            4,
        ),
        case(status(500), "unavailable", json!(500), 4),
        case(status(503), "unavailable", json!(503), 4),
        case(status(599), "unavailable", json!(599), 4),
    ]
}

struct DeadLetterFixture {
    push: PushService,
    server: HatoServer,
    app: OwnedApp,
}

async fn setup(database: TestDatabase, retry_delays: &str) -> DeadLetterFixture {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_RETRY_DELAYS", retry_delays)).await;
    let app = app(&server, "owner@example.com").await;
    DeadLetterFixture { push, server, app }
}

impl DeadLetterFixture {
    /// Registers the browser; the subscription's id.
    async fn register(&self, browser: &BrowserSubscription) -> String {
        let reply = post(
            &self.app.frontend,
            "/api/v1/subscriptions",
            &browser.registration(),
        )
        .await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Sends, and waits until the send has ended.
    async fn send(&self, message: &Value) -> Value {
        let reply = post(&self.app.backend, "/api/v1/notify", message).await;
        assert_eq!(reply.status, 202, "{reply}");
        let path = self.path("/notifications");
        let history = wait_until(&self.app.owner, &path, |it| {
            it["items"][0]["status"] == "done"
        })
        .await;
        history["items"][0].clone()
    }

    /// Registers the browser, and tells what its dead letter will say.
    async fn expect(&self, browser: &BrowserSubscription, case: &DeadLetterCase) -> Value {
        self.push.always_respond(browser, case.answer.clone());
        json!({
            "subscription_id": self.register(browser).await, "endpoint": browser.endpoint,
            "reason": case.reason, "http_status": case.http_status, "attempts": case.attempts,
        })
    }

    async fn dead_letters(&self) -> Vec<Value> {
        let mut page = get(&self.app.admin, &self.path("/dead-letters"))
            .await
            .json();
        assert_eq!(
            (&page["next_before"], &page["next_before_id"]),
            (&Value::Null, &Value::Null)
        );
        serde_json::from_value(page["items"].take()).expect("a list")
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/apps/{}{rest}", self.app.id)
    }
}

/// The dead letter less what cannot be known before.
fn known(letter: &Value) -> Value {
    let mut known = letter.clone();
    for member in ["id", "created_at", "detail"] {
        known.as_object_mut().expect("an object").remove(member);
    }
    known
}

#[on_each_database]
async fn each_failure_is_kept_with_its_reason_and_never_sent_again(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let cases = cases();
    let key = Some(fixture.app.vapid_public_key.as_str());
    let browsers = fixture.push.subscribe_many(key, cases.len() + 2);
    let mut expected = Vec::new();
    for (browser, case) in browsers.iter().zip(&cases) {
        expected.push(fixture.expect(browser, case).await);
    }
    let (gone, willing) = (&browsers[cases.len()], &browsers[cases.len() + 1]);
    fixture
        .push
        .always_respond(gone, ScriptedResponse::Status(410));
    for browser in [gone, willing] {
        fixture.register(browser).await;
    }

    let send = fixture.send(&json!({"title": "t", "body": "b"})).await;
    let counts = [
        "sent_count",
        "failed_expired",
        "failed_other",
        "failed_count",
    ]
    .map(|name| send[name].as_u64());
    let failed = u64::try_from(cases.len()).expect("a small number");
    assert_eq!(counts, [1, 1, failed, failed + 1].map(Some), "{send}");

    let letters = fixture.dead_letters().await;
    assert_eq!(letters.len(), cases.len());
    for mut expected in expected {
        expected["send_id"] = send["send_id"].clone();
        assert!(
            letters.iter().any(|letter| known(letter) == expected),
            "{expected:#} in {letters:#?}"
        );
    }
    for (browser, case) in browsers.iter().zip(&cases) {
        let requests = fixture.push.seen(|seen| seen.counts(&browser.id).requests);
        assert_eq!(requests, case.attempts, "{}", case.answer);
    }
    assert!(
        letters
            .iter()
            .all(|it| it["created_at"].as_i64() >= send["created_at"].as_i64())
    );
}

#[on_each_database]
async fn what_cannot_be_reached_has_no_status(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let browser = fixture.push.subscribe(Some(&fixture.app.vapid_public_key));
    fixture
        .push
        .always_respond(&browser, ScriptedResponse::Reset);
    fixture.register(&browser).await;
    let nobody = json!("https://127.0.0.1:9/push");
    let mut unreachable = browser.registration();
    unreachable["endpoint"] = nobody.clone();
    post(&fixture.app.frontend, "/api/v1/subscriptions", &unreachable).await;
    fixture.send(&json!({"title": "t", "body": "b"})).await;
    let letters = fixture.dead_letters().await;
    assert_eq!(letters.len(), 2, "{letters:#?}");
    for letter in &letters {
        assert_eq!(
            (&letter["reason"], &letter["http_status"]),
            (&json!("unreachable"), &Value::Null)
        );
        assert_eq!(letter["attempts"], 4);
        let refused = letter["endpoint"] == nobody;
        let beginning = if refused { "refused: " } else { "connection: " };
        let detail = letter["detail"].as_str().expect("a text");
        assert!(detail.starts_with(beginning), "{letter:#}");
    }
    assert!(letters.iter().any(|letter| letter["endpoint"] == nobody));
}

#[on_each_database]
async fn what_the_push_service_said_is_kept(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let wns = ScriptedResponse::Header(203, "x-wns-status".into(), "dropped".into());
    for (answer, detail) in [
        (ScriptedResponse::Status(413), json!("errno 104")),
        (wns, json!("x-wns-status: dropped")),
        (ScriptedResponse::Status(203), Value::Null),
    ] {
        let browser = fixture.push.subscribe(None);
        fixture.push.always_respond(&browser, answer);
        let id = fixture.register(&browser).await;
        fixture.send(&json!({"title": "t", "body": "b"})).await;
        let letters = fixture.dead_letters().await;
        let letter = letters.iter().find(|it| it["subscription_id"] == id);
        let said = &letter.expect("a letter")["detail"];
        let is_as_expected = match (said.as_str(), detail.as_str()) {
            (Some(said), Some(beginning)) => said.starts_with(beginning),
            (said, expected) => said == expected,
        };
        assert!(is_as_expected, "{said} for {detail}");
    }
}

#[on_each_database]
async fn a_subscription_of_another_key_says_so(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let other = app(&fixture.server, "other@example.com").await;
    let browser = fixture.push.subscribe(Some(&other.vapid_public_key));
    fixture.register(&browser).await;
    fixture.send(&json!({"title": "t", "body": "b"})).await;
    let letters = fixture.dead_letters().await;
    assert_eq!(letters.len(), 1);
    assert_eq!(
        (&letters[0]["reason"], &letters[0]["attempts"]),
        (&json!("key_mismatch"), &json!(1))
    );
}

#[on_each_database]
async fn a_message_that_is_too_old_to_be_tried_again_is_out_of_time(database: TestDatabase) {
    let fixture = setup(database, "1500ms,1ms,1ms").await;
    let [short, zero] = [1, 0].map(|ttl| json!({"title": "t", "body": "b", "ttl": ttl}));
    let browser = fixture.push.subscribe(Some(&fixture.app.vapid_public_key));
    fixture.register(&browser).await;

    fixture
        .push
        .script(&browser, [ScriptedResponse::Status(503)]);
    let send = fixture.send(&short).await;
    assert_eq!(
        (&send["sent_count"], &send["failed_other"]),
        (&json!(0), &json!(1))
    );
    let letters = fixture.dead_letters().await;
    assert_eq!(letters[0]["reason"], "out_of_time", "{letters:#?}");

    fixture
        .push
        .script(&browser, [ScriptedResponse::Status(503)]);
    let send = fixture.send(&zero).await;
    assert_eq!(
        (&send["sent_count"], &send["failed_other"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(fixture.dead_letters().await.len(), 1);
}

#[on_each_database]
async fn a_wait_longer_than_ours_is_kept(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let browser = fixture.push.subscribe(Some(&fixture.app.vapid_public_key));
    fixture.register(&browser).await;
    fixture
        .push
        .script(&browser, [ScriptedResponse::RetryAfter(429, "2".into())]);
    fixture.send(&json!({"title": "t", "body": "b"})).await;
    fixture.push.assert_no_violations();
    fixture.push.seen(|seen| {
        let [first, second] = [0, 1].map(|place| seen.messages[place].received_at);
        assert!(second - first >= 1_900, "{} ms", second - first);
        assert!(
            seen.messages[1].ttl < seen.messages[0].ttl,
            "what is left of the time to live"
        );
    });
}

#[on_each_database]
async fn an_app_sees_its_own_alone(database: TestDatabase) {
    let fixture = setup(database, "1ms,1ms,1ms").await;
    let other = app(&fixture.server, "other@example.com").await;
    let browser = fixture.push.subscribe(None);
    fixture
        .push
        .always_respond(&browser, ScriptedResponse::Status(400));
    fixture.register(&browser).await;
    fixture.send(&json!({"title": "t", "body": "b"})).await;
    assert_eq!(fixture.dead_letters().await.len(), 1);
    let path = format!("/api/v1/apps/{}/dead-letters", other.id);
    let none = json!({"items": [], "next_before": null, "next_before_id": null});
    assert_eq!(get(&other.owner, &path).await.json(), none);
}
