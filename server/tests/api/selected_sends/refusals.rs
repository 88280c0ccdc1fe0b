//! What is no part of the audience, and what is as much of one as may be.

use super::*;
use crate::fixtures::{snapshot, status_and_code};

#[on_each_database]
async fn what_is_no_part_of_the_audience_is_refused(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app, &endpoint(0), &json!({"tags": ["a"], "user_id": "u"})).await;
    let before = snapshot(&app).await;
    let users = |count: usize| (0..count).map(|it| it.to_string()).collect::<Vec<_>>();
    let nested = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    let doubled = vec!["(a||b)"; 20].join("&&");
    for to in [
        json!({}),
        json!(null),
        json!(""),
        json!([]),
        json!("a"),
        json!({"tags": null}),
        json!({"tags": ""}),
        json!({"tags": ["a"]}),
        json!({"tags": "a b"}),
        json!({"tags": "a\u{0}"}),
        json!({"tags": "\u{430}"}),
        json!({"tags": "a \u{ff06}\u{ff06} b"}),
        json!({"tags": "a\u{200b}"}),
        json!({"tags": nested}),
        json!({"tags": doubled}),
        json!({"tags": "!".repeat(1_025)}),
        json!({"user_ids": null}),
        json!({"user_ids": []}),
        json!({"user_ids": "u"}),
        json!({"user_ids": [""]}),
        json!({"user_ids": [null]}),
        json!({"user_ids": ["u\n"]}),
        json!({"user_ids": users(1_001)}),
        json!({"user_ids": ["u"], "tags": null}),
        json!({"user_ids": ["u".repeat(129)]}),
        json!({"user_id": ["u"]}),
        json!({"Tags": "a"}),
        json!({"tags": "a", "user": ["u"]}),
    ] {
        let body = json!({"title": "t", "body": "b", "to": to});
        let broadcast = format!("/api/v1/apps/{}/notify", app.id);
        for reply in [
            send_to(&app, &to).await,
            post(&app.owner, &broadcast, &body).await,
            post(&app.admin, &broadcast, &body).await,
        ] {
            let refused = status_and_code(&reply);
            assert_eq!(refused, (400, "INVALID_INPUT".into()), "{to}");
        }
    }
    let good = json!({"tags": "a"});
    for body in [
        json!({"title": "t", "body": "b", "to": good, "endpoint": endpoint(0)}),
        json!({"title": "t", "body": "b", "to": good, "endpoint": ""}),
    ] {
        let reply = post(&app.backend, "/api/v1/notify", &body).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{body}"
        );
    }
    let payload = json!({"title": "t", "body": "b"});
    for body in [
        json!({"endpoints": [endpoint(0)], "payload": payload, "to": good}),
        json!({"endpoints": [endpoint(0)], "payload": payload, "to": null}),
        json!({"endpoints": [endpoint(0)], "payload": {"title": "t", "body": "b", "to": good}}),
    ] {
        let reply = post(&app.backend, "/api/v1/notify/batch", &body).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{body}"
        );
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn what_is_as_long_as_may_be_is_taken(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let id = |number: usize| format!("{number:0128}");
    for (number, tags) in [
        (0, json!(["a"])),
        (999, json!(["b"])),
        (1_000, json!(["b"])),
    ] {
        let profile = json!({"user_id": id(number), "tags": tags});
        register(&app, &endpoint(number), &profile).await;
    }
    let users: Vec<_> = (0..1_000).map(id).collect();
    let both = vec!["(a||b)"; 16].join("&&");
    let either = vec!["(a&&b)"; 16].join("||");
    let nested = format!("{}a{}", "(".repeat(511), ")".repeat(511));
    let negated = format!("{}a", "!".repeat(1_023));
    for (to, recipients) in [
        (json!({"user_ids": users}), 2),
        (json!({"user_ids": users, "tags": "b"}), 1),
        (json!({"tags": both}), 3),
        (json!({"tags": either}), 0),
        (json!({"tags": nested}), 1),
        (json!({"tags": negated}), 2),
    ] {
        assert_eq!(queued(&app, &to).await, recipients);
    }
}
