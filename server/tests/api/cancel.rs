//! Stopping a send (CONTRACT 4, `DELETE …/notifications/{send_id}`).

use hato_testkit::client::Reply;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, get, post, register, register_in_bulk, snapshot, start, status_and_code,
    subscribe, wait_until,
};

/// A server that delivers nothing, and an app with three subscribers.
async fn setup_without_delivery(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 3).await;
    (server, app)
}

/// Sends to everyone; the path of the send.
async fn sent(app: &OwnedApp) -> String {
    let reply = post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await;
    assert_eq!(reply.status, 202, "{reply}");
    let id = reply.json()["send_id"].as_str().expect("an id").to_owned();
    format!("/api/v1/apps/{}/notifications/{id}", app.id)
}

async fn cancel(app: &OwnedApp, path: &str) -> Reply {
    app.owner.delete(path).await.expect("an answer")
}

fn assert_cancelled(reply: &Reply, cancelled: usize) {
    assert_eq!(reply.status, 200, "{reply}");
    assert_eq!(reply.json(), json!({"ok": true, "cancelled": cancelled}));
}

fn counts(send: &Value) -> [u64; 5] {
    let names = [
        "sent_count",
        "failed_expired",
        "failed_other",
        "skipped_count",
        "cancelled_count",
    ];
    names.map(|name| {
        send[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name} in {send}"))
    })
}

/// Whether every recipient is accounted for.
fn is_settled(send: &Value) -> bool {
    let recipients = send["recipients"].as_u64();
    recipients.is_some_and(|recipients| recipients == counts(send).iter().sum::<u64>())
}

#[on_each_database]
async fn what_waits_is_cancelled_whole_and_once(database: TestDatabase) {
    let (_server, app) = setup_without_delivery(database).await;
    let path = sent(&app).await;
    let queued = get(&app.owner, &path).await.json();
    assert_eq!(
        (&queued["status"], counts(&queued)),
        (&json!("queued"), [0; 5])
    );
    assert_cancelled(&cancel(&app, &path).await, 3);
    let cancelled = get(&app.admin, &path).await.json();
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(
        (counts(&cancelled), &cancelled["recipients"]),
        ([0, 0, 0, 0, 3], &json!(3))
    );
    assert_cancelled(&cancel(&app, &path).await, 0);
    assert_eq!(get(&app.owner, &path).await.json(), cancelled);
    let snapshot = snapshot(&app).await;
    assert_eq!(snapshot["sends"]["items"], json!([cancelled]));
    assert_eq!(snapshot["stats"]["monthlySent"], 3);
}

#[on_each_database]
async fn other_sends_go_on(database: TestDatabase) {
    let (_server, app) = setup_without_delivery(database).await;
    let (first, second) = (sent(&app).await, sent(&app).await);
    assert_cancelled(&cancel(&app, &first).await, 3);
    let kept = get(&app.owner, &second).await.json();
    assert_eq!(
        (&kept["status"], &kept["cancelled_count"]),
        (&json!("queued"), &json!(0))
    );
}

#[on_each_database]
async fn a_finished_send_stays_as_it_is(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let path = sent(&app).await;
    let done = get(&app.owner, &path).await.json();
    assert_eq!(done["status"], "done");
    assert_cancelled(&cancel(&app, &path).await, 0);
    assert_eq!(get(&app.owner, &path).await.json(), done);
}

#[on_each_database]
async fn an_unknown_send_is_not_found(database: TestDatabase) {
    let (server, first) = setup_without_delivery(database).await;
    let second = app(&server, "other@example.com").await;
    let path = sent(&first).await;
    let before = snapshot(&first).await;
    let of_other = path.replace(&first.id, &second.id);
    for path in [
        of_other,
        format!("{path}0"),
        path.replace("snd_", "nonsense"),
        path.replace("snd_", "%ff"),
    ] {
        for reply in [
            cancel(&second, &path).await,
            get(&second.owner, &path).await,
        ] {
            assert_eq!(status_and_code(&reply), (404, "NOT_FOUND".into()), "{path}");
        }
    }
    assert_eq!(snapshot(&first).await, before);
}

/// A server whose push service answers six browsers and leaves four for a retry that comes much later.
#[on_each_database]
async fn what_waits_for_a_retry_is_cancelled_and_what_was_sent_stays_sent(database: TestDatabase) {
    let push = PushService::start().await;
    let launch = ServerLaunch::on(BINARY, database)
        .with_push_service(&push)
        .env("HATO_RETRY_DELAYS", "1h,1h,1h");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 10);
    register(&app.frontend, &browsers).await;
    for busy in &browsers[6..] {
        push.always_respond(busy, ScriptedResponse::Status(503));
    }
    let path = sent(&app).await;
    wait_until(&app.owner, &path, |send| send["sent_count"] == 6).await;
    assert_eq!(get(&app.owner, &path).await.json()["status"], "sending");
    assert_cancelled(&cancel(&app, &path).await, 4);
    let send = get(&app.owner, &path).await.json();
    assert_eq!(
        (&send["status"], counts(&send)),
        (&json!("cancelled"), [6, 0, 0, 0, 4])
    );
}

#[on_each_database(flavor = "multi_thread")]
async fn what_is_under_way_is_settled_and_every_recipient_is_accounted_for(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 700);
    register_in_bulk(&app.admin, &app.id, &browsers).await;
    // Some get no answer, so that the first page is still under way when the send is cancelled.
    push.respond_by_number(|number| {
        if number % 7 == 3 {
            ScriptedResponse::Hang
        } else {
            ScriptedResponse::Created
        }
    });
    let path = sent(&app).await;
    push.wait_until(|seen| seen.total.requests > 50).await;
    let cancelled = cancel(&app, &path).await;
    assert_eq!(cancelled.status, 200, "{cancelled}");
    let at_once = cancelled.json()["cancelled"].as_u64().expect("a number");
    let send = wait_until(&app.owner, &path, is_settled).await;
    assert_eq!(send["status"], "cancelled", "{send}");
    assert!(send["cancelled_count"].as_u64() >= Some(at_once), "{send}");
    push.assert_no_violations();
    let created = push.seen(|seen| seen.total.created);
    assert_eq!(send["sent_count"], created, "{send}");
    let requests = push.seen(|seen| seen.total.requests);
    assert_eq!(get(&app.owner, &path).await.json(), send);
    assert_eq!(push.seen(|seen| seen.total.requests), requests);
}
