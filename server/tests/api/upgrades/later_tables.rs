//! Tables of a later version, below processes of this one.

use hato_testkit::TestDatabase;
use hato_testkit::client::{ClientError, Reply};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::HatoServer;
use http::Method;
use serde_json::{Value, json};

use super::process;
use super::send_in_progress::SendInProgress;
use crate::fixtures::{app, get, post, registration, send, snapshot, start, wait_until_logged};

const LATER_MIGRATION: &str =
    "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
     VALUES (9999, 'later', true, '\\x00', 0)";

const SAYS_SO: &str = "migrated by a later version";

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_meets_later_tables_says_so_and_goes_on() {
    let database = TestDatabase::postgres().await;
    database.execute("ALTER TABLE apps ADD COLUMN later TEXT; CREATE TABLE later (id BIGINT)");
    database.execute(LATER_MIGRATION);
    let server = start(process(&database)).await;
    assert!(server.log().contains(SAYS_SO), "{}", server.log());
    let app = app(&server, "owner@example.com").await;
    let key = get(&app.frontend, "/api/v1/vapid-public-key").await;
    assert_eq!(key.status, 200, "{key}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_goes_on_while_a_later_version_adds_columns_to_every_table() {
    let sending = SendInProgress::start().await;
    let before = use_everything(&sending.api, "before@example.com").await;
    sending.database.widen();
    sending.database.execute(LATER_MIGRATION);
    sending.completes().await;
    for process in [&sending.api, &sending.worker] {
        wait_until_logged(process, SAYS_SO).await;
        assert_eq!(process.log().matches(SAYS_SO).count(), 1);
    }
    // By sessions whose statements were prepared when the tables were as this version made them.
    let after = use_everything(&sending.api, "after@example.com").await;
    assert_eq!(before, after);
}

fn ok(reply: Result<Reply, ClientError>) -> Value {
    let reply = reply.expect("an answer");
    assert!(reply.status.is_success(), "{reply}");
    reply.json()
}

/// Makes, changes, reads and removes something of every kind, and returns how much there was of it.
async fn use_everything(server: &HatoServer, email: &str) -> Value {
    let app = app(server, email).await;
    let path = format!("/api/v1/apps/{}", app.id);
    subscribe_and_leave(&app, &path).await;
    send_twice_and_cancel(&app, &path).await;
    let shown = snapshot(&app).await;
    remove(&app, &path).await;
    let login = json!({"email": email, "password": PASSWORD});
    let session = post(&server.client(), "/auth/login", &login).await.json();
    let session = session["session_token"].as_str().expect("a token");
    let client = server.client().bearer(session);
    ok(client.post("/auth/logout", &json!({})).await);
    json!({
        "keys": shown["keys"].as_array().map(Vec::len),
        "key events": shown["key events"]["items"].as_array().map(Vec::len),
        "sends": shown["sends"]["items"].as_array().map(Vec::len),
        "active": shown["stats"]["activeSubscribers"],
        "deactivated": shown["stats"]["deactivatedSubscribers"],
    })
}

async fn subscribe_and_leave(app: &OwnedApp, path: &str) {
    for number in 0..3 {
        let endpoint = format!("https://push.example.com/{number}");
        let reply = post(
            &app.backend,
            "/api/v1/subscriptions",
            &registration(&endpoint),
        )
        .await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    let leaving = json!({"endpoint": "https://push.example.com/0"});
    let path = format!("{path}/subscriptions");
    ok(app.frontend.delete_with(&path, &leaving).await);
}

/// The second request is the first one's twin.
async fn send_twice_and_cancel(app: &OwnedApp, path: &str) {
    let message = json!({"title": "t", "body": "b"}).to_string();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let headers = [("idempotency-key", "once")];
        let notify = "/api/v1/notify";
        let reply = send(
            &app.backend,
            Method::POST,
            notify,
            &headers,
            message.clone(),
        )
        .await;
        assert_eq!(reply.status, 202, "{reply}");
        ids.push(reply.json()["send_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids[0], ids[1]);
    let path = format!("{path}/notifications/{}", ids[0]);
    ok(app.owner.delete(&path).await);
}

/// Sets and clears a webhook, and removes a key and the app.
async fn remove(app: &OwnedApp, path: &str) {
    for url in [json!("https://hooks.example.com/1"), Value::Null] {
        ok(app.owner.patch(path, &json!({"webhook_url": url})).await);
    }
    let keys = get(&app.owner, &format!("{path}/keys")).await.json();
    let key = keys[0]["id"].as_str().expect("an id");
    ok(app.owner.delete(&format!("{path}/keys/{key}")).await);
    ok(app.owner.delete(path).await);
}
