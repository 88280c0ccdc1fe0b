//! What a subscription takes over from the one that it replaces (CONTRACT 12).

use hato_testkit::owner::OwnedApp;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{ENDPOINT, OTHER, having, profile, register, setup, stored, unsubscribe};
use crate::fixtures::post;

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
    let after = profile(Some("u"), &["_vip", "a"], Some("en"), Some("UTC"));
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
    let after = profile(Some("u"), &["_old", "_vip", "d"], Some("en"), Some("UTC"));
    assert_eq!(stored(&app, third).await, after);
    assert_eq!(having(&app, "_old && _vip && d").await, 1);
    assert_eq!(having(&app, "a || c").await, 0);

    // Nothing to take over.
    let nobody = json!({"replaces": "https://push.example.com/9"});
    register(&app.frontend, third, nobody).await;
    assert_eq!(stored(&app, third).await, after);
    register(&app.frontend, ENDPOINT, json!({})).await;
    let kept = profile(None, &["a"], Some("ja"), Some("UTC"));
    assert_eq!(
        stored(&app, ENDPOINT).await,
        kept,
        "the user and the owner's tags went along"
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

/// How many active subscriptions a send to this user is for.
async fn of_user(app: &OwnedApp, user: &str) -> Value {
    let message = json!({"title": "t", "body": "b", "to": {"user_ids": [user]}});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
    reply.json()["queued"].clone()
}

#[on_each_database]
async fn a_user_is_handed_on_once(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let endpoint = |number: usize| format!("https://push.example.com/{number}");
    // The first is active, the second has left before it is replaced, and both come back again and again.
    for (first, has_left) in [(10, false), (20, true)] {
        let user = format!("u{first}");
        register(&app.backend, &endpoint(first), json!({"user_id": user})).await;
        if has_left {
            unsubscribe(&app, &endpoint(first)).await;
        }
        let replacing = json!({"replaces": endpoint(first)});
        for (number, comes_back) in [(1, false), (2, true), (3, true), (4, false)] {
            let taken = register(&app.frontend, &endpoint(first + number), replacing.clone()).await;
            assert_eq!(taken.status, 201, "{taken}");
            if comes_back {
                register(&app.frontend, &endpoint(first), json!({"lang": "ja"})).await;
                assert_eq!(stored(&app, &endpoint(first)).await["user_id"], Value::Null);
            }
        }
        assert_eq!(of_user(&app, &user).await, 1);
        assert_eq!(stored(&app, &endpoint(first + 1)).await["user_id"], user);
    }
}

#[on_each_database]
async fn a_replacement_that_is_repeated_changes_nothing(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let all = json!({"user_id": "u", "tags": ["_vip", "a"], "lang": "ja", "time_zone": "UTC"});
    register(&app.backend, ENDPOINT, all).await;
    for status in [201, 200, 200] {
        let taken = register(&app.frontend, OTHER, json!({"replaces": ENDPOINT})).await;
        assert_eq!(taken.status, status, "{taken}");
        let after = profile(Some("u"), &["_vip", "a"], Some("ja"), Some("UTC"));
        assert_eq!(stored(&app, OTHER).await, after);
    }
    let path = format!("/api/v1/apps/{}/users/erase", app.id);
    let erased = post(&app.admin, &path, &json!({"user_id": "u"})).await;
    assert_eq!(
        erased.json()["removed"],
        2,
        "the replaced one was the user's"
    );
}

#[on_each_database]
async fn what_replaces_keeps_of_too_many_tags_what_fits(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let numbered = |prefix: &str, count: usize| -> Vec<String> {
        (0..count).map(|it| format!("{prefix}{it:02}")).collect()
    };
    let both = |first: &str, second: &str| [numbered(first, 20), numbered(second, 30)].concat();
    register(&app.backend, ENDPOINT, json!({"tags": both("_old", "old")})).await;
    register(&app.backend, OTHER, json!({"tags": both("_new", "new")})).await;
    let expected = [
        numbered("_new", 20),
        numbered("_old", 20),
        numbered("old", 10),
    ]
    .concat();
    for _ in 0..2 {
        let taken = register(&app.frontend, OTHER, json!({"replaces": ENDPOINT})).await;
        assert_eq!(taken.status, 200, "{taken}");
        assert_eq!(stored(&app, OTHER).await["tags"], json!(expected));
    }
    assert_eq!(having(&app, "_new19 && _old19 && old09").await, 1);
    assert_eq!(having(&app, "new00 || old10").await, 0);

    // What the visitor asks for has to fit beside the owner's, as without a replaced one.
    for (count, status) in [(11, 400), (10, 200)] {
        let asked = json!({"replaces": ENDPOINT, "tags": numbered("asked", count)});
        let answer = register(&app.frontend, OTHER, asked).await;
        assert_eq!(answer.status, status, "{answer}");
    }
    assert_eq!(having(&app, "asked09 && !old00").await, 1);
}
