//! Whom subscriptions belong to and what they care for: registration and `PATCH /api/v1/subscriptions` (CONTRACT 12).

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, Launch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, post, registration, send, snapshot, start, status_and_code};

pub const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";
pub const ENDPOINT: &str = "https://push.example.com/1";
const OTHER: &str = "https://push.example.com/2";

/// A server that delivers nothing, and an app on it.
pub async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(Launch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

/// The answer to a registration of the endpoint with these members.
pub async fn register(client: &Client, endpoint: &str, members: Value) -> Reply {
    post(
        client,
        SUBSCRIPTIONS,
        &with(registration(endpoint), members),
    )
    .await
}

/// The answer to a change of the endpoint's subscription.
pub async fn change(client: &Client, endpoint: &str, members: Value) -> Reply {
    let body = with(json!({"endpoint": endpoint}), members);
    let reply = client.patch(SUBSCRIPTIONS, &body).await;
    reply.expect("an answer")
}

/// What is stored of the endpoint's subscription, without its id.
pub async fn stored(app: &OwnedApp, endpoint: &str) -> Value {
    let reply = change(&app.frontend, endpoint, json!({})).await;
    assert_eq!(reply.status, 200, "{reply}");
    let mut stored = reply.json();
    stored.as_object_mut().expect("an object").remove("id");
    stored
}

fn with(mut body: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("no object: {members}");
    };
    body.as_object_mut().expect("an object").extend(members);
    body
}

fn profile(user_id: Value, tags: Value, lang: Value, time_zone: Value) -> Value {
    json!({"user_id": user_id, "tags": tags, "lang": lang, "time_zone": time_zone})
}

/// A profile that has tags alone.
fn tagged(tags: &[&str]) -> Value {
    profile(json!(null), json!(tags), json!(null), json!(null))
}

/// How many active subscriptions a send to this expression of tags is for.
async fn having(app: &OwnedApp, tags: &str) -> Value {
    let message = json!({"title": "t", "body": "b", "to": {"tags": tags}});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
    reply.json()["queued"].clone()
}

async fn unsubscribe(app: &OwnedApp, endpoint: &str) {
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let reply = app
        .frontend
        .delete_with(&path, &json!({"endpoint": endpoint}));
    assert_eq!(reply.await.expect("an answer").status, 200);
}

#[on_each_database]
async fn a_registration_sets_what_it_names_and_leaves_the_rest(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "山田 4711", "tags": ["b", "a", "b", "_vip"], "lang": "ja",
                     "time_zone": "Asia/Tokyo", "user_token": "ignored"});
    let first = register(&app.backend, ENDPOINT, all).await;
    assert_eq!(first.status, 201, "{first}");
    let after = profile(
        json!("山田 4711"),
        json!(["_vip", "a", "b"]),
        json!("ja"),
        json!("Asia/Tokyo"),
    );
    assert_eq!(stored(&app, ENDPOINT).await, after);
    let absent =
        json!({"user_id": null, "user_token": null, "tags": null, "lang": null, "time_zone": null});
    let empty = json!({"user_id": "", "user_token": "", "tags": "", "lang": "", "time_zone": ""});
    for nothing in [json!({}), absent, empty] {
        let again = register(&app.frontend, ENDPOINT, nothing).await;
        assert_eq!(again.status, 200, "{again}");
        assert_eq!(stored(&app, ENDPOINT).await, after);
    }
    let some = json!({"tags": ["c"], "time_zone": "Not/A_Zone"});
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let again = post(&app.admin, &path, &with(registration(ENDPOINT), some)).await;
    assert_eq!(again.status, 200, "{again}");
    let after = profile(
        json!("山田 4711"),
        json!(["c"]),
        json!("ja"),
        json!("Not/A_Zone"),
    );
    assert_eq!(stored(&app, ENDPOINT).await, after);
    assert_eq!(having(&app, "a || b || _vip").await, 0);
    assert_eq!(having(&app, "c").await, 1);
    register(&app.admin, ENDPOINT, json!({"tags": []})).await;
    assert_eq!(stored(&app, ENDPOINT).await["tags"], json!([]));
    assert_eq!(having(&app, "c").await, 0);
}

#[on_each_database]
async fn who_comes_back_keeps_everything(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "u", "tags": ["a", "b"], "lang": "ja", "time_zone": "UTC"});
    register(&app.backend, ENDPOINT, all).await;
    let before = stored(&app, ENDPOINT).await;
    unsubscribe(&app, ENDPOINT).await;
    assert_eq!(having(&app, "a").await, 0);
    let back = register(&app.frontend, ENDPOINT, json!({})).await;
    assert_eq!(back.json()["reactivated"], true, "{back}");
    assert_eq!(stored(&app, ENDPOINT).await, before);
    assert_eq!(having(&app, "a && b").await, 1);
    unsubscribe(&app, ENDPOINT).await;
    register(&app.frontend, ENDPOINT, json!({"tags": ["c"]})).await;
    assert_eq!(stored(&app, ENDPOINT).await["tags"], json!(["c"]));
    assert_eq!(
        (having(&app, "a").await, having(&app, "c").await),
        (json!(0), json!(1))
    );
}

#[on_each_database]
async fn what_replaces_takes_over_what_it_does_not_name(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "u", "tags": ["_vip", "a"], "lang": "ja", "time_zone": "UTC"});
    register(&app.backend, ENDPOINT, all).await;
    let next = register(
        &app.frontend,
        OTHER,
        json!({"replaces": ENDPOINT, "lang": "en"}),
    )
    .await;
    assert_eq!(next.status, 201, "{next}");
    let after = profile(json!("u"), json!(["_vip", "a"]), json!("en"), json!("UTC"));
    assert_eq!(stored(&app, OTHER).await, after);
    assert_eq!(having(&app, "a && _vip").await, 1);

    // From one that its push service had ended before, onto one that is there.
    let third = "https://push.example.com/3";
    unsubscribe(&app, OTHER).await;
    register(
        &app.backend,
        third,
        json!({"user_id": "w", "tags": ["c", "_old"]}),
    )
    .await;
    let named = json!({"replaces": OTHER, "tags": ["d"]});
    let taken = register(&app.frontend, third, named).await;
    assert_eq!(taken.status, 200, "{taken}");
    let after = profile(
        json!("u"),
        json!(["_old", "_vip", "d"]),
        json!("en"),
        json!("UTC"),
    );
    assert_eq!(stored(&app, third).await, after);
    assert_eq!(having(&app, "_old && _vip && d").await, 1);
    assert_eq!(having(&app, "a || c").await, 0);

    // Nothing to take over.
    let nobody = json!({"replaces": "https://push.example.com/9"});
    register(&app.frontend, third, nobody).await;
    assert_eq!(stored(&app, third).await, after);
    register(&app.frontend, ENDPOINT, json!({})).await;
    let kept = profile(json!("u"), json!(["a"]), json!("ja"), json!("UTC"));
    assert_eq!(
        stored(&app, ENDPOINT).await,
        kept,
        "the owner's tags went along"
    );
}

#[on_each_database]
async fn owners_tags_are_handed_on_once(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.backend, ENDPOINT, json!({"tags": ["_vip"]})).await;
    for number in 2..6 {
        let endpoint = format!("https://push.example.com/{number}");
        let taken = register(&app.frontend, &endpoint, json!({"replaces": ENDPOINT})).await;
        assert_eq!(taken.status, 201, "{taken}");
        register(&app.frontend, ENDPOINT, json!({})).await;
    }
    assert_eq!(having(&app, "_vip").await, 1);
}

#[on_each_database]
async fn a_change_answers_what_is_stored_afterwards(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let id = register(&app.frontend, ENDPOINT, json!({})).await.json()["id"].clone();
    let answer = change(&app.frontend, ENDPOINT, json!({})).await;
    let nothing = with(json!({"id": id}), tagged(&[]));
    assert_eq!((answer.status.as_u16(), answer.json()), (200, nothing));
    for (client, members, after) in [
        (
            &app.backend,
            json!({"user_id": "u"}),
            profile(json!("u"), json!([]), json!(null), json!(null)),
        ),
        (
            &app.frontend,
            json!({"user_id": "", "tags": ["b", "a"]}),
            profile(json!("u"), json!(["a", "b"]), json!(null), json!(null)),
        ),
        (
            &app.frontend,
            json!({"user_id": null, "lang": "zh-Hant-TW", "time_zone": "Etc/GMT+9"}),
            profile(
                json!(null),
                json!(["a", "b"]),
                json!("zh-Hant-TW"),
                json!("Etc/GMT+9"),
            ),
        ),
        (
            &app.frontend,
            json!({"add_tags": ["c", "a"], "remove_tags": ["b", "x"]}),
            profile(
                json!(null),
                json!(["a", "c"]),
                json!("zh-Hant-TW"),
                json!("Etc/GMT+9"),
            ),
        ),
        (
            &app.frontend,
            json!({"lang": null, "time_zone": "", "tags": null, "add_tags": null, "remove_tags": ""}),
            profile(
                json!(null),
                json!(["a", "c"]),
                json!(null),
                json!("Etc/GMT+9"),
            ),
        ),
        (
            &app.admin,
            json!({"time_zone": null, "add_tags": ["_vip"]}),
            tagged(&["_vip", "a", "c"]),
        ),
        (&app.frontend, json!({"tags": []}), tagged(&["_vip"])),
        (&app.admin, json!({"tags": []}), tagged(&[])),
    ] {
        let answer = change(client, ENDPOINT, members.clone()).await;
        assert_eq!(answer.status, 200, "{members}: {answer}");
        assert_eq!(
            answer.json(),
            with(json!({"id": id}), after.clone()),
            "{members}"
        );
        assert_eq!(stored(&app, ENDPOINT).await, after, "{members}");
        for tag in ["a", "b", "c", "_vip"] {
            let has = after["tags"]
                .as_array()
                .expect("tags")
                .contains(&json!(tag));
            assert_eq!(
                having(&app, tag).await,
                i64::from(has),
                "{tag} after {members}"
            );
        }
    }
}

#[on_each_database]
async fn only_active_subscriptions_of_the_keys_app_are_changed(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    register(&first.frontend, ENDPOINT, json!({"tags": ["a"]})).await;
    register(&first.frontend, OTHER, json!({})).await;
    unsubscribe(&first, OTHER).await;
    for (client, endpoint) in [
        (&second.frontend, ENDPOINT),
        (&second.admin, ENDPOINT),
        (&first.frontend, OTHER),
        (&first.admin, "https://push.example.com/9"),
    ] {
        for members in [json!({}), json!({"tags": ["b"]}), json!({"lang": null})] {
            let refused = change(client, endpoint, members).await;
            assert_eq!(
                status_and_code(&refused),
                (404, "NOT_FOUND".into()),
                "{endpoint}"
            );
        }
    }
    let session = change(&first.owner, ENDPOINT, json!({})).await;
    assert_eq!(status_and_code(&session), (401, "UNAUTHORIZED".into()));
    assert_eq!(stored(&first, ENDPOINT).await, tagged(&["a"]));
}

/// Members that no request may have, whoever sends it.
fn bad_members() -> Vec<Value> {
    let many: Vec<_> = (0..51).map(|it| it.to_string()).collect();
    let mut bad = vec![
        json!({"tags": many}),
        json!({"user_id": "u".repeat(129)}),
        json!({"user_id": "鳩".repeat(43)}),
        json!({"user_id": "a\nb"}),
        json!({"user_id": "a\u{0}"}),
        json!({"user_id": "a\u{7f}"}),
        json!({"user_id": "a\u{85}"}),
        json!({"user_token": 1}),
        json!({"user_token": ["a"]}),
        json!({"lang": "ja_JP"}),
        json!({"lang": "日本語"}),
        json!({"lang": "a".repeat(36)}),
        json!({"time_zone": "/Tokyo"}),
        json!({"time_zone": "Asia/東京"}),
        json!({"time_zone": "A".repeat(65)}),
    ];
    for tag in [
        "",
        " ",
        "a b",
        "a\n",
        "a\u{0}",
        "タグ",
        "\u{430}",
        "a\u{200b}",
        "a/b",
        "a,b",
        "!a",
        &"t".repeat(65),
    ] {
        bad.push(json!({"tags": ["good", tag]}));
    }
    for list in [
        json!("a"),
        json!(1),
        json!({}),
        json!([null]),
        json!([1]),
        json!([["a"]]),
        json!(true),
    ] {
        bad.push(json!({"tags": list}));
    }
    for member in ["user_id", "lang", "time_zone"] {
        for value in [json!(1), json!(["u"]), json!({}), json!(true)] {
            bad.push(json!({member: value}));
        }
    }
    bad
}

#[on_each_database]
async fn what_is_malformed_is_refused_and_nothing_is_stored(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(
        &app.backend,
        ENDPOINT,
        json!({"user_id": "u", "tags": ["a"], "lang": "ja"}),
    )
    .await;
    let before = (snapshot(&app).await, stored(&app, ENDPOINT).await);
    let invalid = (400, "INVALID_INPUT".to_owned());
    for members in bad_members() {
        for endpoint in [ENDPOINT, OTHER] {
            for client in [&app.backend, &app.frontend] {
                let refused = register(client, endpoint, members.clone()).await;
                assert_eq!(status_and_code(&refused), invalid, "{members}");
                let refused = change(client, endpoint, members.clone()).await;
                assert_eq!(status_and_code(&refused), invalid, "{members}");
            }
        }
    }
    for members in [
        json!({"tags": ["a"], "add_tags": ["b"]}),
        json!({"tags": [], "remove_tags": []}),
        json!({"add_tags": ["b"], "remove_tags": ["b"]}),
        json!({"add_tags": "b"}),
        json!({"remove_tags": [null]}),
        json!({"add_tags": ["タグ"]}),
        json!({"remove_tags": ["t".repeat(65)]}),
    ] {
        let refused = change(&app.backend, ENDPOINT, members.clone()).await;
        assert_eq!(status_and_code(&refused), invalid, "{members}");
    }
    for (body, code) in [
        (json!({"tags": ["a"]}), "MISSING_FIELDS"),
        (json!({"endpoint": ""}), "MISSING_FIELDS"),
        (
            json!({"endpoint": "http://push.example.com/1"}),
            "INVALID_URL",
        ),
        (json!({"endpoint": "https://"}), "INVALID_ENDPOINT"),
        (json!({"endpoint": 1}), "INVALID_INPUT"),
    ] {
        let refused = app.frontend.patch(SUBSCRIPTIONS, &body).await;
        let refused = refused.expect("an answer");
        assert_eq!(status_and_code(&refused), (400, code.into()), "{body}");
    }
    let twice = format!(r#"{{"endpoint":"{ENDPOINT}","tags":["a"],"tags":["b"]}}"#);
    let refused = send(&app.frontend, Method::PATCH, SUBSCRIPTIONS, &[], twice).await;
    assert_eq!(status_and_code(&refused), invalid);
    assert_eq!((snapshot(&app).await, stored(&app, ENDPOINT).await), before);
}

#[on_each_database]
async fn a_visitor_neither_sets_nor_removes_the_owners_tags(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.backend, ENDPOINT, json!({"tags": ["_vip", "a"]})).await;
    let invalid = (400, "INVALID_INPUT".to_owned());
    for members in [
        json!({"tags": ["_vip"]}),
        json!({"add_tags": ["_vip"]}),
        json!({"remove_tags": ["_vip"]}),
        json!({"add_tags": ["b", "_"]}),
    ] {
        let refused = change(&app.frontend, ENDPOINT, members.clone()).await;
        assert_eq!(status_and_code(&refused), invalid, "{members}");
    }
    for endpoint in [ENDPOINT, OTHER] {
        let refused = register(&app.frontend, endpoint, json!({"tags": ["b", "_vip"]})).await;
        assert_eq!(status_and_code(&refused), invalid);
    }
    assert_eq!(stored(&app, ENDPOINT).await, tagged(&["_vip", "a"]));
    register(&app.frontend, ENDPOINT, json!({"tags": ["b"]})).await;
    assert_eq!(stored(&app, ENDPOINT).await, tagged(&["_vip", "b"]));
    change(&app.frontend, ENDPOINT, json!({"tags": []})).await;
    assert_eq!(stored(&app, ENDPOINT).await, tagged(&["_vip"]));
    register(&app.backend, ENDPOINT, json!({"tags": []})).await;
    assert_eq!(stored(&app, ENDPOINT).await, tagged(&[]));
}

#[on_each_database]
async fn a_subscription_has_50_tags_with_the_owners(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let tags = |count: usize| (0..count).map(|it| format!("t{it}")).collect::<Vec<_>>();
    let invalid = (400, "INVALID_INPUT".to_owned());
    register(&app.backend, ENDPOINT, json!({"tags": ["_vip", "_pro"]})).await;
    for members in [json!({"tags": tags(49)}), json!({"add_tags": tags(49)})] {
        let refused = change(&app.frontend, ENDPOINT, members).await;
        assert_eq!(status_and_code(&refused), invalid);
    }
    let refused = register(&app.frontend, ENDPOINT, json!({"tags": tags(49)})).await;
    assert_eq!(status_and_code(&refused), invalid);
    unsubscribe(&app, ENDPOINT).await;
    let refused = register(&app.frontend, ENDPOINT, json!({"tags": tags(49)})).await;
    assert_eq!(status_and_code(&refused), invalid);
    assert_eq!(snapshot(&app).await["app"]["active_subscriptions"], 0);
    let full = register(
        &app.frontend,
        ENDPOINT,
        json!({"tags": [tags(48), tags(48)].concat()}),
    )
    .await;
    assert_eq!(full.status, 200, "{full}");
    let refused = change(&app.frontend, ENDPOINT, json!({"add_tags": ["x"]})).await;
    assert_eq!(status_and_code(&refused), invalid);
    let exchanged = json!({"add_tags": ["x"], "remove_tags": ["t0"]});
    let exchanged = change(&app.frontend, ENDPOINT, exchanged).await;
    assert_eq!(exchanged.json()["tags"].as_array().map(Vec::len), Some(50));
}

#[tokio::test]
async fn pages_of_other_origins_may_change_their_subscription() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    let headers = [
        ("origin", "https://shop.example"),
        ("access-control-request-method", "PATCH"),
        (
            "access-control-request-headers",
            "authorization,content-type",
        ),
    ];
    let preflight = send(&app.frontend, Method::OPTIONS, SUBSCRIPTIONS, &headers, "").await;
    let methods = preflight.header("access-control-allow-methods");
    assert!(
        methods.is_some_and(|it| it.contains("PATCH")),
        "{preflight}"
    );
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
}
