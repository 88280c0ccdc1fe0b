//! Who took what was sent, as finished sends tell.

use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions, ScriptedResponse,
};
use hato_testkit::server::ServerLaunch;
use serde_json::Map;

use super::*;
use crate::database::value;
use crate::fixtures::{BINARY, app, register_in_bulk, start, wait_until};

/// What is counted of sends that nobody has taken over yet.
const UNRECORDED: &str = "SELECT COUNT(*) FROM sends WHERE included IS NOT NULL";

/// A server, an app with three browsers, and their push service.
async fn three(
    database: TestDatabase,
) -> (HatoServer, OwnedApp, PushService, Vec<BrowserSubscription>) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browsers: Vec<_> = (0..3).map(|_| push.subscribe(None)).collect();
    for browser in &browsers {
        let reply = post(&app.admin, "/api/v1/subscriptions", &browser.registration()).await;
        assert_eq!(reply.status, 201, "{reply}");
    }
    (server, app, push, browsers)
}

async fn send(app: &OwnedApp, message: Value) {
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    let id = reply.json()["send_id"]
        .as_str()
        .expect("accepted")
        .to_owned();
    let item = path(app, &format!("notifications/{id}"));
    wait_until(&app.owner, &item, |it| it["status"] == "done").await;
}

/// Lets another process take over what finished sends tell, as each does when it starts.
async fn record(server: &HatoServer) {
    let worker = server.launch().clone().env("HATO_ROLE", "worker");
    let worker = start(worker).await;
    let asking = async {
        let mut ticks = tokio::time::interval(std::time::Duration::from_millis(100));
        while value::<i64>(server, UNRECORDED).await > 0 {
            ticks.tick().await;
        }
    };
    let in_time = tokio::time::timeout(std::time::Duration::from_mins(2), asking).await;
    in_time.expect("it is taken over");
    drop(worker);
}

/// By endpoint, on which day each last took a send.
async fn last_successes(app: &OwnedApp) -> Map<String, Value> {
    let page = get(&app.admin, &path(app, "subscriptions")).await.json();
    let items = page["items"].as_array().expect("a list").iter();
    let days = items.map(|item| {
        let endpoint = item["endpoint"].as_str().expect("a text").to_owned();
        (endpoint, item["last_success_on"].clone())
    });
    days.collect()
}

async fn answered(app: &OwnedApp, query: &str) -> Value {
    audience(app, query).await["by_age"][0]["answered_last_send"].take()
}

#[on_each_database]
async fn who_took_the_last_send_is_told(database: TestDatabase) {
    let (server, app, push, browsers) = three(database).await;
    let message = json!({"title": "t", "body": "b"});
    push.always_respond(&browsers[0], ScriptedResponse::Status(400));
    send(&app, message.clone()).await;
    let finished: i64 = value(&server, "SELECT MAX(finished_at) FROM sends").await;
    let day = hato_domain::UnixMillis(finished).day();
    record(&server).await;
    let endpoints: Vec<String> = browsers
        .iter()
        .map(|it| {
            it.registration()["endpoint"]
                .as_str()
                .expect("a text")
                .to_owned()
        })
        .collect();
    let days = last_successes(&app).await;
    assert_eq!(days[&endpoints[0]], Value::Null);
    assert_eq!([&days[&endpoints[1]], &days[&endpoints[2]]], [&day, &day]);
    assert_eq!(answered(&app, "").await, 2);

    push.always_respond(&browsers[1], ScriptedResponse::Status(400));
    let mut to_one = message.clone();
    to_one["endpoint"] = endpoints[1].clone().into();
    send(&app, to_one).await;
    push.always_respond(&browsers[0], ScriptedResponse::Status(201));
    let mut to_other = message;
    to_other["endpoint"] = endpoints[0].clone().into();
    send(&app, to_other).await;
    record(&server).await;
    assert_eq!(
        answered(&app, "").await,
        2,
        "the first now, the second no more"
    );
    let days = last_successes(&app).await;
    assert!(endpoints.iter().all(|it| days[it].is_string()), "{days:?}");
}

#[on_each_database]
async fn who_took_the_last_send_is_told_by_push_service(database: TestDatabase) {
    let (server, app, push, browsers) = three(database).await;
    let other = PushServiceOptions {
        host: "localhost".to_owned(),
        ca: Some(push.ca().clone()),
        ..PushServiceOptions::default()
    };
    let other = PushService::start_with(other).await.expect("a free port");
    let browser = other.subscribe(None);
    let reply = post(&app.admin, "/api/v1/subscriptions", &browser.registration()).await;
    assert_eq!(reply.status, 201, "{reply}");
    for (push, refusing) in [(&push, &browsers[0]), (&other, &browser)] {
        push.always_respond(refusing, ScriptedResponse::Status(400));
    }
    send(&app, json!({"title": "t", "body": "b"})).await;
    record(&server).await;
    let reach = |here: i64, there: i64| {
        json!([
            {"host": "127.0.0.1", "recipients": 3, "answered_last_send": here},
            {"host": "localhost", "recipients": 1, "answered_last_send": there},
        ])
    };
    assert_eq!(audience(&app, "").await["reach_by_host"], reach(2, 0));
    other.always_respond(&browser, ScriptedResponse::Status(201));
    send(&app, json!({"title": "t", "body": "b"})).await;
    record(&server).await;
    assert_eq!(
        audience(&app, "tags=!news").await["reach_by_host"],
        reach(2, 1)
    );
}

#[on_each_database(flavor = "multi_thread")]
async fn who_took_a_send_is_known_without_a_row_for_each(database: TestDatabase) {
    const BROWSERS: usize = 2_000;
    let push = PushService::start_with(PushServiceOptions {
        decryption: Decryption::EveryNth(100),
        ..PushServiceOptions::default()
    });
    let push = push.await.expect("a free port");
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(None, BROWSERS);
    register_in_bulk(&app.admin, &app.id, &browsers).await;
    push.always_respond(&browsers[0], ScriptedResponse::Status(400));
    for _ in 0..2 {
        send(&app, json!({"title": "t", "body": "b"})).await;
    }
    record(&server).await;
    assert_eq!(answered(&app, "").await, BROWSERS - 1);
    for (table, rows) in [("reach", 1), ("send_missed", 0), ("dead_letters", 2)] {
        let found: i64 = value(&server, &format!("SELECT COUNT(*) FROM {table}")).await;
        assert_eq!(found, rows, "{table}");
    }
}

#[on_each_database]
async fn a_send_to_a_part_of_the_audience_tells_of_that_part(database: TestDatabase) {
    let (server, app, _push, browsers) = three(database).await;
    let mut tagged = browsers[0].registration();
    tagged["tags"] = json!(["news"]);
    let updated = post(&app.admin, "/api/v1/subscriptions", &tagged).await;
    assert_eq!(updated.status, 200, "{updated}");
    send(
        &app,
        json!({"title": "t", "body": "b", "to": {"tags": "news"}}),
    )
    .await;
    record(&server).await;
    assert_eq!(answered(&app, "").await, 1);
    assert_eq!(answered(&app, "tags=news").await, 1);
    assert_eq!(answered(&app, "tags=!news").await, 0);
}

#[on_each_database]
async fn who_comes_back_has_taken_nothing_yet(database: TestDatabase) {
    let (server, app, _push, browsers) = three(database).await;
    send(&app, json!({"title": "t", "body": "b"})).await;
    let registration = browsers[0].registration();
    let gone = json!({"endpoint": registration["endpoint"]}).to_string();
    let unsubscribe = path(&app, "subscriptions");
    let left = crate::fixtures::send(&app.frontend, http::Method::DELETE, &unsubscribe, &[], gone);
    assert_eq!(left.await.status, 200);
    record(&server).await;
    let back = post(&app.admin, "/api/v1/subscriptions", &registration).await;
    assert_eq!(back.status, 200, "{back}");
    assert_eq!(answered(&app, "").await, 2);
}

/// A finished send in the database: its id, its status, how many failed, the day of its end, and whom it was for.
fn sent(id: &str, status: &str, failed: i64, day: i64, included: &str) -> String {
    let at = day * DAY;
    format!(
        "INSERT INTO sends (id, app_id, title, body, payload, ttl, recipients, failed_other, status, actor_kind,
                            actor_id, actor_name, created_at, finished_at, included)
         SELECT '{id}', id, 't', 'b', '{{}}', 0, 300, {failed}, '{status}', 'user', 'usr_1', 'a', {at}, {at},
                {included}
         FROM apps;"
    )
}

/// Gives the app 300 subscriptions, the n-th at the first position of block n, whose user is `u` and n.
async fn spread(server: &HatoServer) {
    let (random, bytes) = (random_bytes(server), crate::database::bytes(server, &[4]));
    let statement = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
         INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position, user_id,
                                    created_at)
         SELECT 'sub_' || i, (SELECT id FROM apps), 'https://a.example/' || i, {random}, {bytes}, {bytes},
                i * 4096, 'u' || i, 0
         FROM n;
         UPDATE apps SET last_position = 2000000, active_subscriptions = 300;"
    );
    execute(server, &statement).await;
}

/// A finished send of each kind, a day after the other. `first` is in SQL the stored block that has its first position. Of two the
/// failures are more than dead letters: of the third send an earlier version has not recorded all of them, of the last one they are.
fn sends_of_any_kind(first_day: i64, first: &str) -> String {
    let everyone = "'{\"everyone\":{\"from\":0,\"up_to\":1187840}}'";
    let listed =
        "(SELECT '{\"listed\":{\"ids\":[' || id || '],\"up_to\":1228800}}' FROM subscriptions
                   WHERE public_id = 'sub_300')";
    let late = "(SELECT '{\"listed\":{\"ids\":[' || id || '],\"up_to\":1}}' FROM subscriptions
                 WHERE public_id = 'sub_299')";
    [
        sent("snd_1", "done", 2, first_day, everyone),
        sent("snd_2", "cancelled", 0, first_day + 1, everyone),
        sent("snd_3", "done", 10_002, first_day + 2, everyone),
        sent("snd_4", "done", 0, first_day + 3, listed),
        sent("snd_5", "done", 0, first_day + 4, late),
        sent("snd_6", "done", 0, first_day + 5, "'{\"positions\":[1200128]}'"),
        sent("snd_7", "done", 0, first_day + 6, "'{\"selected\":{\"from\":0}}'"),
        sent("snd_8", "done", 0, first_day + 7, "'nonsense'"),
        sent("snd_9", "done", 10_002, first_day + 8, "'{\"selected\":{\"from\":0}}'"),
        "UPDATE sends SET missed = 1 WHERE id = 'snd_3'; UPDATE sends SET missed = 2 WHERE id = 'snd_9';"
            .to_owned(),
        format!("INSERT INTO send_positions (send_id, block, positions) VALUES ('snd_7', 294, {first});
             INSERT INTO send_positions (send_id, block, positions)
             VALUES ('snd_9', 295, {first}), ('snd_9', 296, {first}), ('snd_9', 297, {first});
             INSERT INTO send_missed (send_id, block, positions)
             VALUES ('snd_3', 295, {first}), ('snd_9', 295, {first}), ('snd_9', 297, {first});"),
        "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason, attempts, created_at)
         SELECT 'snd_1', app_id, public_id, endpoint, 'refused', 1, 0 FROM subscriptions
         WHERE public_id IN ('sub_1', 'sub_290');"
            .to_owned(),
    ]
    .concat()
}

#[on_each_database]
async fn sends_of_any_kind_tell_of_whom_they_were_for(database: TestDatabase) {
    let api = ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api");
    let server = start(api).await;
    let app = app(&server, "owner@example.com").await;
    spread(&server).await;
    let made: i64 = value(&server, "SELECT created_at FROM apps").await;
    let first_day = made / DAY - 9;
    let date = |number: i64| {
        let day = hato_domain::UnixMillis::from_day_number(first_day + number);
        Value::from(day.day())
    };
    let first = crate::database::bytes(&server, &[0, 0]);
    execute(&server, &sends_of_any_kind(first_day, &first)).await;
    record(&server).await;
    for (user, day) in [
        ("u1", Value::Null),
        ("u2", date(0)),
        ("u289", date(0)),
        ("u290", Value::Null),
        ("u291", Value::Null),
        ("u293", date(5)),
        ("u294", date(6)),
        ("u295", Value::Null),
        ("u296", date(8)),
        ("u297", Value::Null),
        ("u299", Value::Null),
        ("u300", date(3)),
    ] {
        let found = get(
            &app.admin,
            &path(&app, &format!("subscriptions?user_id={user}")),
        )
        .await;
        assert_eq!(found.json()["items"][0]["last_success_on"], day, "{user}");
    }
    let oldest = audience(&app, "").await["by_age"][3].take();
    assert_eq!(oldest["recipients"], 300);
    assert_eq!(
        oldest["answered_last_send"], 292,
        "288 of everybody, and four"
    );
    let left: i64 = value(
        &server,
        "SELECT COUNT(*) FROM send_missed WHERE send_id = 'snd_9'",
    )
    .await;
    assert_eq!(left, 0, "nothing asks for them any more");
}
