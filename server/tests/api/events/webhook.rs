//! What an app's webhook is told of what recipients did (CONTRACT 15).

use hato_testkit::webhook_receiver::{Event, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;

use super::CountingApp;
use crate::database::{execute, value};

#[on_each_database]
async fn the_webhook_hears_of_new_counts_once_a_day(database: TestDatabase) {
    let mut counting = CountingApp::new(database, 2).await;
    let receiver = WebhookReceiver::start(counting.push.ca()).await;
    counting
        .change(&json!({"webhook_url": receiver.url()}))
        .await;
    let buttons = json!([{"action": "read", "title": "Read"}]);
    let message = json!({"title": "t", "body": "b", "actions": buttons});
    let path = counting.send_message(&message).await;
    let tokens = counting.tokens();
    counting.report_all(&tokens, "displayed").await;
    counting.report_all(&tokens[1..], "dismissed").await;
    let click = json!({"token": tokens[0], "event": "clicked", "action": "read"});
    assert_eq!(counting.report(&click).await.status, 204);
    counting.counted(&path, "clicked_count", 1).await;
    // It sweeps when it starts.
    counting.server.restart().await.expect("it starts again");
    let has_counts = |seen: &[Event], count| {
        let of_engagement = seen.iter().filter(|it| it.kind() == "send.engagement");
        of_engagement.count() >= count
    };
    receiver.wait_until(|seen| has_counts(seen, 1)).await;
    let events = receiver.seen();
    let of_engagement = events.iter().filter(|it| it.kind() == "send.engagement");
    let data: Vec<_> = of_engagement.map(|it| it.json()["data"].clone()).collect();
    let send_id = path.rsplit('/').next().expect("an id");
    let expected = json!({
        "app_id": counting.app.id, "send_id": send_id, "displayed_count": 2, "clicked_count": 1,
        "dismissed_count": 1, "clicks_by_action": {"read": 1},
    });
    assert_eq!(data, [expected]);
    // Without new counts there is nothing to tell.
    let due = "SELECT COUNT(*) FROM sends WHERE engagement_due_at IS NOT NULL";
    assert_eq!(value::<i64>(&counting.server, due).await, 0);

    counting.report_all(&tokens[1..], "clicked").await;
    counting.counted(&path, "clicked_count", 2).await;
    let due = "SELECT engagement_due_at - engagement_told_at FROM sends";
    let day = 24 * 3_600_000;
    assert_eq!(value::<i64>(&counting.server, due).await, day);
    let earlier = "UPDATE sends SET engagement_due_at = engagement_told_at";
    execute(&counting.server, earlier).await;
    counting.server.restart().await.expect("it starts again");
    receiver.wait_until(|seen| has_counts(seen, 2)).await;
}
