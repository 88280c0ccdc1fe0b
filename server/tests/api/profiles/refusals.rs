//! What a subscription's profile cannot be, and what a visitor cannot make it (CONTRACT 12).

use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use super::{ENDPOINT, OTHER, SUBSCRIPTIONS, change, register, setup, stored, tagged, unsubscribe};
use crate::fixtures::{send, snapshot, status_and_code};

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
    let after = (snapshot(&app).await, stored(&app, ENDPOINT).await);
    assert_eq!(after, before);
}

#[on_each_database]
async fn a_change_that_is_none_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.backend, ENDPOINT, json!({"tags": ["a"]})).await;
    let before = (snapshot(&app).await, stored(&app, ENDPOINT).await);
    let invalid = (400, "INVALID_INPUT".to_owned());
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
        json!({"tags": ([tags(48), tags(48)].concat())}),
    )
    .await;
    assert_eq!(full.status, 200, "{full}");
    let refused = change(&app.frontend, ENDPOINT, json!({"add_tags": ["x"]})).await;
    assert_eq!(status_and_code(&refused), invalid);
    let exchanged = json!({"add_tags": ["x"], "remove_tags": ["t0"]});
    let exchanged = change(&app.frontend, ENDPOINT, exchanged).await;
    assert_eq!(exchanged.json()["tags"].as_array().map(Vec::len), Some(50));
}
