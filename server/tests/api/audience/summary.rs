//! Whom a send would go to: how many, by push service and age.

use super::*;

#[on_each_database]
async fn an_audience_is_whom_a_send_would_go_to(database: TestDatabase) {
    let (_server, app) = four(database).await;
    for (query, recipients) in [
        ("", 4),
        ("tags=news", 2),
        ("tags=!news", 2),
        ("tags=news%20%26%26%20_plan:pro", 1),
        ("tags=news%7C%7Csport", 3),
        ("tags=nothing", 0),
        ("user_id=u1", 2),
        ("user_id=u1&tags=news", 1),
        ("user_id=u2&tags=sport", 0),
    ] {
        let audience = audience(&app, query).await;
        assert_eq!(audience["recipients"], recipients, "{query}");
        let sum = |list: &str| {
            let items = audience[list].as_array().expect("a list").iter();
            items
                .filter_map(|it| it["recipients"].as_i64())
                .sum::<i64>()
        };
        assert_eq!(
            (sum("by_host"), sum("by_age")),
            (recipients, recipients),
            "{query}"
        );
    }
    let sent = json!({"title": "t", "body": "b", "to": {"tags": "news||sport"}});
    let sent = post(&app.backend, "/api/v1/notify", &sent).await;
    assert_eq!(sent.json()["queued"], 3);
}

#[on_each_database]
async fn an_audience_is_told_by_host_and_age(database: TestDatabase) {
    let (server, app) = four(database).await;
    subscribe(&app, &[("a.example:8443/5", "u3", &[])]).await;
    let aged = [(1, 400), (2, 31), (3, 91), (4, 29), (5, 0)].map(|(name, days)| {
        format!(
            "UPDATE subscriptions SET created_at = created_at - {}
             WHERE endpoint LIKE '%/{name}';",
            days * DAY
        )
    });
    execute(&server, &aged.concat()).await;
    let expected = json!({
        "recipients": 5,
        "by_host": [
            {"host": "a.example", "recipients": 3},
            {"host": "b.example", "recipients": 2},
        ],
        "reach_by_host": [
            {"host": "a.example", "recipients": 3, "answered_last_send": 0},
            {"host": "b.example", "recipients": 2, "answered_last_send": 0},
        ],
        "by_age": [
            {"days": 30, "recipients": 2, "answered_last_send": 0},
            {"days": 90, "recipients": 1, "answered_last_send": 0},
            {"days": 270, "recipients": 1, "answered_last_send": 0},
            {"days": null, "recipients": 1, "answered_last_send": 0},
        ],
        "approximate": false,
    });
    assert_eq!(audience(&app, "").await, expected);
}

#[on_each_database]
async fn up_to_100_000_are_counted_one_by_one(database: TestDatabase) {
    let (server, app) = setup(database).await;
    subscribe(&app, &[("rare.example/1", "u1", &["rare"])]).await;
    fill(&server, 99_999).await;
    for query in ["", "tags=!nothing"] {
        let exact = audience(&app, query).await;
        assert_eq!(exact["approximate"], false, "{query}");
        assert_eq!(exact["recipients"], 100_000, "{query}");
        assert_eq!(
            exact["by_host"],
            json!([
                {"host": "filled.example", "recipients": 99_999},
                {"host": "rare.example", "recipients": 1},
            ]),
            "{query}"
        );
        assert_eq!(exact["by_age"][0]["recipients"], 100_000, "{query}");
    }
    subscribe(&app, &[("rare.example/2", "u2", &[])]).await;
    assert_eq!(audience(&app, "").await["approximate"], true);
    assert_eq!(audience(&app, "tags=!rare").await["approximate"], false);
}

#[on_each_database]
async fn more_than_100_000_are_estimated(database: TestDatabase) {
    let (server, app) = setup(database).await;
    fill(&server, 100_100).await;
    let estimate = audience(&app, "").await;
    assert_eq!(estimate["approximate"], true);
    assert_eq!(estimate["recipients"], 100_100);
    assert_eq!(
        estimate["by_host"],
        json!([{"host": "filled.example", "recipients": 100_100}])
    );
    assert_eq!(estimate["by_age"][0]["recipients"], 100_100);
}
