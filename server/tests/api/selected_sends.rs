//! Sends to a part of the audience: by users, by tags, or by both (CONTRACT 12).

mod generated;
mod moments;
mod refusals;

use hato_testkit::client::Reply;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{Decryption, PushService, PushServiceOptions, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, bulk, get, post, registration, setup, start, wait_until};

/// Registers this endpoint with the members of `profile`.
async fn register(app: &OwnedApp, endpoint: &str, profile: &Value) {
    let mut body = registration(endpoint);
    for (member, value) in profile.as_object().expect("an object") {
        body[member] = value.clone();
    }
    let reply = post(&app.backend, "/api/v1/subscriptions", &body).await;
    assert!(reply.status.is_success(), "{reply}");
}

async fn send_to(app: &OwnedApp, to: &Value) -> Reply {
    let body = json!({"title": "t", "body": "b", "to": to});
    post(&app.backend, "/api/v1/notify", &body).await
}

/// How many recipients the send is queued for.
async fn queued(app: &OwnedApp, to: &Value) -> u64 {
    let reply = send_to(app, to).await;
    assert_eq!(reply.status, 202, "{to}: {reply}");
    reply.json()["queued"].as_u64().expect("a number")
}

fn endpoint(number: usize) -> String {
    format!("https://push.example.com/{number}")
}

#[on_each_database]
async fn users_and_tags_choose_the_recipients(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (number, profile) in [
        json!({"user_id": "anna", "tags": ["news", "lang:ja"]}),
        json!({"user_id": "anna", "tags": ["lang:en"]}),
        json!({"user_id": "ben", "tags": ["news", "_plan:pro"]}),
        json!({"tags": ["_plan:pro"]}),
        json!({}),
    ]
    .iter()
    .enumerate()
    {
        register(&app, &endpoint(number), profile).await;
    }
    for (to, recipients) in [
        (json!({"user_ids": ["anna"]}), 2),
        (json!({"user_ids": ["anna", "ben", "nobody", "ben"]}), 3),
        (json!({"user_ids": ["Anna"]}), 0),
        (json!({"tags": "news"}), 2),
        (json!({"tags": "News"}), 0),
        (json!({"tags": "news || _plan:pro"}), 3),
        (json!({"tags": "news && _plan:pro"}), 1),
        (json!({"tags": "!news"}), 3),
        (json!({"tags": "!news && !_plan:pro"}), 2),
        (json!({"tags": "!(news && lang:ja) || unknown"}), 4),
        (json!({"user_ids": ["anna"], "tags": "news"}), 1),
        (json!({"user_ids": ["anna", "ben"], "tags": "!lang:en"}), 2),
    ] {
        assert_eq!(queued(&app, &to).await, recipients, "{to}");
        let body = json!({"title": "t", "body": "b", "to": to});
        let path = format!("/api/v1/apps/{}/notify", app.id);
        let reply = post(&app.owner, &path, &body).await;
        assert_eq!(reply.json()["queued"], recipients, "{reply}");
    }
}

#[on_each_database]
async fn who_leaves_comes_back_or_changes_is_counted_as_they_are(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for number in 0..4 {
        register(
            &app,
            &endpoint(number),
            &json!({"tags": ["news"], "user_id": "anna"}),
        )
        .await;
    }
    let (news, anna) = (json!({"tags": "news"}), json!({"user_ids": ["anna"]}));
    let unsubscribe = format!("/api/v1/apps/{}/subscriptions", app.id);
    let removed = app
        .admin
        .delete_with(&unsubscribe, &json!({"endpoint": endpoint(0)}))
        .await;
    assert_eq!(removed.expect("an answer").status, 200);
    assert_eq!(
        (queued(&app, &news).await, queued(&app, &anna).await),
        (3, 3)
    );
    assert_eq!(queued(&app, &json!({"tags": "!news"})).await, 0);

    register(&app, &endpoint(0), &json!({})).await;
    assert_eq!(
        (queued(&app, &news).await, queued(&app, &anna).await),
        (4, 4)
    );

    let change = json!({"endpoint": endpoint(1), "remove_tags": ["news"], "user_id": null});
    let changed = app.backend.patch("/api/v1/subscriptions", &change).await;
    assert_eq!(changed.expect("an answer").status, 200);
    assert_eq!(
        (queued(&app, &news).await, queued(&app, &anna).await),
        (3, 3)
    );
    assert_eq!(queued(&app, &json!({"tags": "!news"})).await, 1);

    register(&app, &endpoint(9), &json!({"replaces": endpoint(2)})).await;
    assert_eq!(
        (queued(&app, &news).await, queued(&app, &anna).await),
        (3, 3)
    );
}

/// Of one user are more than are read at a time, and of all named ones as well.
#[on_each_database]
async fn users_with_thousands_of_subscriptions_are_chosen_whole(database: TestDatabase) {
    const SHARED: usize = 4_100;
    const OTHERS: usize = 150;
    let launch = ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api");
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let registrations = (0..SHARED + OTHERS).map(|number| {
        let mut registration = registration(&endpoint(number));
        registration["user_id"] = match number.checked_sub(SHARED) {
            None => json!("shared"),
            Some(other) => json!(format!("user-{other}")),
        };
        let parity = if number.is_multiple_of(2) {
            "even"
        } else {
            "odd"
        };
        registration["tags"] = json!([parity]);
        registration
    });
    bulk(&app.admin, &app.id, &registrations.collect::<Vec<_>>()).await;
    let mut users: Vec<_> = (0..OTHERS).map(|it| format!("user-{it}")).collect();
    users.push("shared".to_owned());
    for (to, recipients) in [
        (json!({"user_ids": ["shared"]}), SHARED),
        (json!({"user_ids": ["shared"], "tags": "odd"}), SHARED / 2),
        (json!({"user_ids": users}), SHARED + OTHERS),
        (
            json!({"user_ids": users, "tags": "!odd"}),
            SHARED / 2 + OTHERS / 2,
        ),
    ] {
        let queued = queued(&app, &to).await;
        assert_eq!(usize::try_from(queued), Ok(recipients), "{}", to["tags"]);
    }
    let audience = format!("/api/v1/apps/{}/audience?user_id=shared", app.id);
    let audience = get(&app.owner, &audience).await;
    assert_eq!(audience.json()["recipients"], SHARED, "{audience}");
}

/// More recipients than a page has, of whom each second one has the tag.
const MANY: usize = 1_300;

async fn with_many(database: TestDatabase) -> (PushService, HatoServer, OwnedApp, Vec<String>) {
    let push = PushService::start_with(PushServiceOptions {
        decryption: Decryption::CountOnly,
        ..PushServiceOptions::default()
    });
    let push = push.await.expect("a push service");
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), MANY);
    let registrations = browsers.iter().enumerate().map(|(number, browser)| {
        let tag = if number.is_multiple_of(4) {
            "others"
        } else {
            "most"
        };
        let mut registration = browser.registration();
        registration["tags"] = json!([tag, "all"]);
        registration
    });
    bulk(&app.admin, &app.id, &registrations.collect::<Vec<_>>()).await;
    let ids = browsers.into_iter().map(|browser| browser.id).collect();
    (push, server, app, ids)
}

fn is_done(send: &Value) -> bool {
    send["status"] == "done" || send["status"] == "cancelled"
}

fn path_of(app: &OwnedApp, reply: &Reply) -> String {
    let id = reply.json()["send_id"].as_str().expect("an id").to_owned();
    format!("/api/v1/apps/{}/notifications/{id}", app.id)
}

#[on_each_database]
async fn more_than_a_page_of_selected_recipients_get_one_message_each(database: TestDatabase) {
    let (push, _server, app, ids) = with_many(database).await;
    let most = send_to(&app, &json!({"tags": "most"})).await;
    let recipients = most.json()["queued"].as_u64().expect("a number");
    assert!((500..MANY as u64).contains(&recipients), "{recipients}");
    let send = wait_until(&app.owner, &path_of(&app, &most), is_done).await;
    assert_eq!(send["sent_count"], recipients);
    let others = send_to(&app, &json!({"tags": "!most"})).await;
    assert_eq!(others.json()["queued"], MANY as u64 - recipients);
    let send = wait_until(&app.owner, &path_of(&app, &others), is_done).await;
    assert_eq!(send["sent_count"], MANY as u64 - recipients);
    push.seen(|seen| {
        assert_eq!(seen.total.requests, MANY as u64);
        assert!(ids.iter().all(|id| seen.counts(id).created == 1));
    });
    push.assert_no_violations();
}

#[on_each_database]
async fn who_expires_loses_their_tags_with_their_place(database: TestDatabase) {
    let (push, _server, app, _) = with_many(database).await;
    push.respond_by_default(ScriptedResponse::Status(410));
    let most = send_to(&app, &json!({"tags": "most"})).await;
    let recipients = most.json()["queued"].clone();
    let send = wait_until(&app.owner, &path_of(&app, &most), is_done).await;
    assert_eq!(send["failed_expired"], recipients);
    assert_eq!(queued(&app, &json!({"tags": "most"})).await, 0);
    let rest = MANY as u64 - recipients.as_u64().expect("a number");
    assert_eq!(queued(&app, &json!({"tags": "all"})).await, rest);
    let stats = get(&app.owner, &format!("/api/v1/apps/{}/stats", app.id)).await;
    assert_eq!(stats.json()["activeSubscribers"], rest, "{stats}");
}

#[on_each_database]
async fn a_cancelled_selection_counts_everybody_once(database: TestDatabase) {
    let (push, _server, app, _) = with_many(database).await;
    push.respond_by_default(ScriptedResponse::RetryAfter(503, "3".to_owned()));
    let accepted = send_to(&app, &json!({"tags": "all"})).await;
    push.wait_until(|seen| seen.total.requests > 0).await;
    let path = path_of(&app, &accepted);
    let cancelled = app.owner.delete(&path).await.expect("an answer");
    assert_eq!(cancelled.status, 200, "{cancelled}");
    let send = wait_until(&app.owner, &path, is_done).await;
    let count = |name: &str| send[name].as_u64().expect("a number");
    let counted = count("sent_count") + count("failed_count") + count("skipped_count");
    assert_eq!(counted + count("cancelled_count"), MANY as u64, "{send}");
    assert_eq!(send["status"], "cancelled");
}
