//! Sends with a time, an end and a pace (CONTRACT 14).

mod events;
mod selected;

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::client::Reply;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::database::{execute, value};
use crate::fixtures::{
    BINARY, app, get, post, register, send, snapshot, start, status_and_code, subscribe, wait_until,
};

const NOTIFY: &str = "/api/v1/notify";
const BATCH: &str = "/api/v1/notify/batch";
const DAY: i64 = 86_400_000;

/// So many milliseconds from now.
fn ahead(millis: i64) -> i64 {
    SystemClock.now().0 + millis
}

/// A server that starts and delivers nothing, and an app with three subscribers.
async fn setup_without_delivery(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 3).await;
    (server, app)
}

/// A server that delivers, and an app with so many subscribers at a push service.
async fn setup(database: TestDatabase, browsers: usize) -> (HatoServer, OwnedApp, PushService) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), browsers);
    register(&app.backend, &browsers).await;
    (server, app, push)
}

/// A message with further members.
fn message(members: &Value) -> Value {
    let mut message = json!({"title": "t", "body": "b"});
    for (name, value) in members.as_object().expect("members") {
        message[name] = value.clone();
    }
    message
}

/// The same message by each of the three ways to send.
async fn each_way(app: &OwnedApp, members: &Value) -> [Reply; 3] {
    let message = message(members);
    let endpoints = ["https://push.example.com/0"];
    let batch = json!({"endpoints": endpoints, "payload": message});
    let broadcast = format!("/api/v1/apps/{}/notify", app.id);
    [
        post(&app.backend, NOTIFY, &message).await,
        post(&app.backend, BATCH, &batch).await,
        post(&app.owner, &broadcast, &message).await,
    ]
}

/// Accepts a message to everyone with these members, and returns the path of the send.
async fn accepted(app: &OwnedApp, members: &Value) -> String {
    let reply = post(&app.backend, NOTIFY, &message(members)).await;
    assert_eq!(reply.status, 202, "{reply}");
    let id = reply.json()["send_id"].as_str().expect("an id").to_owned();
    format!("/api/v1/apps/{}/notifications/{id}", app.id)
}

/// The statuses of the sends that the history lists.
async fn listed(app: &OwnedApp, query: &str) -> Vec<Value> {
    let path = format!("/api/v1/apps/{}/notifications{query}", app.id);
    let page = get(&app.owner, &path).await.json();
    let items = page["items"].as_array().expect("items").iter();
    items.map(|item| item["status"].clone()).collect()
}

#[on_each_database]
async fn what_is_wrong_is_refused_and_stores_nothing(database: TestDatabase) {
    let (_server, app) = setup_without_delivery(database).await;
    let before = snapshot(&app).await;
    for members in [
        json!({"send_at": ahead(-1)}),
        json!({"send_at": 0}),
        json!({"send_at": null}),
        json!({"send_at": ""}),
        json!({"send_at": "2027-01-01"}),
        json!({"send_at": ahead(366 * DAY + 60_000)}),
        json!({"send_at": i64::MAX}),
        json!({"expires_at": ahead(-1)}),
        json!({"expires_at": null}),
        json!({"send_at": ahead(DAY), "expires_at": ahead(DAY - 1_000)}),
        json!({"max_per_minute": 0}),
        json!({"max_per_minute": 10_000_001}),
        json!({"max_per_minute": 1.5}),
        json!({"max_per_minute": null}),
    ] {
        for reply in each_way(&app, &members).await {
            let refusal = status_and_code(&reply);
            assert_eq!(refusal, (400, "INVALID_INPUT".into()), "{members}");
        }
    }
    let large = "x".repeat(3_100);
    for (at, refusal) in [
        (ahead(-1), (400, "INVALID_INPUT")),
        (ahead(DAY), (413, "PAYLOAD_TOO_LARGE")),
    ] {
        for reply in each_way(&app, &json!({"body": large, "send_at": at})).await {
            assert_eq!(status_and_code(&reply), (refusal.0, refusal.1.into()));
        }
    }
    for member in ["send_at", "expires_at", "max_per_minute"] {
        let mut batch = json!({
            "endpoints": ["https://push.example.com/0"],
            "payload": message(&json!({})),
        });
        batch[member] = json!(ahead(DAY));
        let refusal = status_and_code(&post(&app.backend, BATCH, &batch).await);
        assert_eq!(refusal, (400, "INVALID_INPUT".into()), "{member}");
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn a_scheduled_send_waits_charges_nothing_and_can_be_cancelled(database: TestDatabase) {
    let (_server, app) = setup_without_delivery(database).await;
    let at = ahead(366 * DAY - 60_000);
    let members = json!({"send_at": at, "expires_at": at + 1, "max_per_minute": 10_000_000});
    let replies = each_way(&app, &members).await;
    for reply in &replies {
        let answer = reply.json();
        assert_eq!(reply.status, 202, "{reply}");
        assert_eq!(
            (&answer["queued"], &answer["send_at"]),
            (&json!(0), &json!(at))
        );
    }
    assert_eq!(listed(&app, "").await, ["scheduled"; 3]);
    assert_eq!(snapshot(&app).await["stats"]["monthlySent"], 0);
    let id = replies[0].json()["send_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/api/v1/apps/{}/notifications/{id}", app.id);
    let item = get(&app.owner, &path).await.json();
    assert_eq!(item["send_at"], at);
    assert_eq!(
        (&item["expires_at"], &item["max_per_minute"]),
        (&json!(at + 1), &json!(10_000_000))
    );
    for _ in 0..2 {
        let cancelled = app.owner.delete(&path).await.expect("an answer");
        assert_eq!(cancelled.json(), json!({"ok": true, "cancelled": 0}));
        assert_eq!(get(&app.owner, &path).await.json()["status"], "cancelled");
    }
    assert_eq!(listed(&app, "?status=scheduled").await, ["scheduled"; 2]);
}

#[on_each_database]
async fn the_history_lists_those_of_any_status(database: TestDatabase) {
    let (server, app) = setup_without_delivery(database).await;
    accepted(&app, &json!({"send_at": ahead(DAY)})).await;
    let cancelled = accepted(&app, &json!({})).await;
    app.owner.delete(&cancelled).await.expect("an answer");
    for _ in 0..2 {
        accepted(&app, &json!({})).await;
    }
    let nobody =
        json!({"endpoints": ["https://push.example.com/9"], "payload": message(&json!({}))});
    post(&app.backend, BATCH, &nobody).await;
    execute(&server, "UPDATE sends SET refused_reason = 'MONTHLY_LIMIT_EXCEEDED' WHERE recipients = 0 AND status = 'done'").await;
    post(&app.backend, BATCH, &nobody).await;
    let all = listed(&app, "").await;
    assert_eq!(all.last(), Some(&json!("scheduled")), "accepted first");
    for (status, count) in [
        ("scheduled", 1),
        ("queued", 2),
        ("sending", 0),
        ("done", 1),
        ("cancelled", 1),
        ("refused", 1),
    ] {
        let found = listed(&app, &format!("?status={status}")).await;
        assert_eq!(found, vec![json!(status); count], "{status}");
    }
    assert_eq!(listed(&app, "?status=queued&limit=1").await.len(), 1);
    for bad in ["?status=", "?status=waiting", "?status=done&status=done"] {
        let path = format!("/api/v1/apps/{}/notifications{bad}", app.id);
        let refusal = status_and_code(&get(&app.owner, &path).await);
        assert_eq!(refusal, (400, "INVALID_INPUT".into()), "{bad}");
    }
}

#[on_each_database]
async fn it_leaves_when_it_is_due_to_those_of_that_moment(database: TestDatabase) {
    let (_server, app, push) = setup(database, 1).await;
    let at = ahead(2_000);
    let path = accepted(&app, &json!({"send_at": at, "ttl": 3_600})).await;
    let later = push.subscribe_many(Some(&app.vapid_public_key), 2);
    register(&app.backend, &later).await;
    let done = wait_until(&app.owner, &path, |it| it["status"] == "done").await;
    assert_eq!(
        (&done["recipients"], &done["sent_count"]),
        (&json!(3), &json!(3))
    );
    push.seen(|seen| {
        assert_eq!(seen.messages.len(), 3);
        for message in &seen.messages {
            assert!(message.received_at >= at.unsigned_abs(), "too early");
            assert!(
                message.ttl <= 3_600 && message.ttl > 3_500,
                "{}",
                message.ttl
            );
        }
    });
    let stats = &snapshot(&app).await["stats"];
    assert_eq!(
        (&stats["monthlySent"], &stats["totalSent"]),
        (&json!(3), &json!(3))
    );
    push.assert_no_violations();
}

#[on_each_database]
async fn it_starts_within_two_seconds_of_its_time(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let at = ahead(1_200);
    let path = accepted(&app, &json!({"send_at": at})).await;
    wait_until(&app.owner, &path, |it| it["status"] == "done").await;
    // A send to nobody ends when it starts.
    let started: i64 = value(&server, "SELECT finished_at FROM sends").await;
    assert!((at..=at + 2_000).contains(&started), "{at} {started}");
}

#[on_each_database]
async fn it_survives_a_restart_and_starts_late_rather_than_never(database: TestDatabase) {
    let (mut server, app, push) = setup(database, 2).await;
    let at = ahead(1_500);
    let path = accepted(&app, &json!({"send_at": at})).await;
    server.kill().await;
    tokio::time::sleep(UnixMillis(at + 500).since(SystemClock.now())).await;
    server.restart().await.expect("it starts again");
    let owner = app.owner.at(server.address());
    let done = wait_until(&owner, &path, |it| it["status"] == "done").await;
    assert_eq!(done["sent_count"], 2);
    push.assert_no_violations();
}

#[on_each_database]
async fn a_repeated_request_gets_the_first_answer_after_its_time_too(database: TestDatabase) {
    let (_server, app, push) = setup(database, 1).await;
    let body = message(&json!({"send_at": ahead(1_000)})).to_string();
    let request = || {
        const HEADERS: [(&str, &str); 1] = [("idempotency-key", "newsletter")];
        send(&app.backend, Method::POST, NOTIFY, &HEADERS, body.clone())
    };
    let first = request().await;
    assert_eq!(first.status, 202, "{first}");
    let id = first.json()["send_id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/apps/{}/notifications/{id}", app.id);
    wait_until(&app.owner, &path, |it| it["status"] == "done").await;
    let again = request().await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!((again.status, again.json()), (first.status, first.json()));
    assert_eq!(push.seen(|seen| seen.total.requests), 1);
    let late = post(
        &app.backend,
        NOTIFY,
        &serde_json::from_str(&body).expect("JSON"),
    )
    .await;
    assert_eq!(status_and_code(&late), (400, "INVALID_INPUT".into()));
}

#[on_each_database]
async fn over_the_limit_when_it_is_due_it_is_refused(database: TestDatabase) {
    let (server, app, push) = setup(database, 1).await;
    let first = accepted(&app, &json!({})).await;
    wait_until(&app.owner, &first, |it| it["status"] == "done").await;
    let path = accepted(&app, &json!({"send_at": ahead(1_000)})).await;
    execute(&server, "UPDATE monthly_usage SET recipients = 30000").await;
    let refused = wait_until(&app.owner, &path, |it| it["status"] == "refused").await;
    assert_eq!(refused["refused_reason"], "MONTHLY_LIMIT_EXCEEDED");
    assert_eq!(
        (&refused["recipients"], &refused["sent_count"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(listed(&app, "?status=refused").await, ["refused"]);
    assert_eq!(snapshot(&app).await["stats"]["monthlySent"], 30_000);
    assert_eq!(push.seen(|seen| seen.total.requests), 1, "the first one's");
}

#[on_each_database]
async fn an_unknown_endpoint_is_not_found_when_it_is_asked(database: TestDatabase) {
    let (_server, app) = setup_without_delivery(database).await;
    let before = snapshot(&app).await;
    let members = json!({"endpoint": "https://push.example.com/9", "send_at": ahead(DAY)});
    let unknown = post(&app.backend, NOTIFY, &message(&members)).await;
    assert_eq!(status_and_code(&unknown), (404, "NOT_FOUND".into()));
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn what_has_expired_reaches_nobody_else(database: TestDatabase) {
    let (_server, app, push) = setup(database, 4).await;
    let members = json!({"expires_at": ahead(10_000), "max_per_minute": 2});
    let path = accepted(&app, &members).await;
    let done = wait_until(&app.owner, &path, |it| it["status"] == "done").await;
    assert_eq!(
        (&done["sent_count"], &done["failed_other"]),
        (&json!(1), &json!(3))
    );
    let letters = format!("/api/v1/apps/{}/dead-letters", app.id);
    let letters = get(&app.owner, &letters).await.json();
    for letter in letters["items"].as_array().expect("items") {
        assert_eq!(
            (&letter["reason"], &letter["attempts"]),
            (&json!("out_of_time"), &json!(0))
        );
    }
    push.seen(|seen| assert!(seen.messages[0].ttl <= 10));
}

#[on_each_database(flavor = "multi_thread")]
async fn two_workers_begin_no_more_than_the_pace(database: TestDatabase) {
    const PER_MINUTE: usize = 30;
    let (server, app, push) = setup(database, 40).await;
    let launch = server.launch().clone().env("HATO_ROLE", "worker");
    let other = if server.database().is_postgres() {
        Some(start(launch).await)
    } else {
        None
    };
    let path = accepted(&app, &json!({"max_per_minute": PER_MINUTE})).await;
    push.wait_until(|seen| seen.total.requests >= 5).await;
    let cancelled = app.owner.delete(&path).await.expect("an answer").json();
    let done = wait_until(&app.owner, &path, |it| it["status"] == "cancelled").await;
    assert_eq!(done["cancelled_count"], cancelled["cancelled"]);
    let sent = done["sent_count"].as_u64().expect("a count");
    assert_eq!(
        sent + done["cancelled_count"].as_u64().expect("a count"),
        40
    );
    let begun: Vec<u64> = push.seen(|seen| seen.messages.iter().map(|it| it.received_at).collect());
    assert_eq!(begun.len() as u64, sent);
    // Pages of one are 2.2 s apart, and each may begin 4 s late.
    let most = most_within(&begun, Duration::from_secs(2));
    assert!(most <= 4, "{begun:?}");
    drop(other);
}

/// The most of these moments in any span of this length.
fn most_within(moments: &[u64], span: Duration) -> usize {
    let span = u64::try_from(span.as_millis()).expect("a short time");
    let within = |first: &u64| {
        let later = moments
            .iter()
            .filter(|it| *it >= first && **it - first <= span);
        later.count()
    };
    moments.iter().map(within).max().unwrap_or_default()
}
