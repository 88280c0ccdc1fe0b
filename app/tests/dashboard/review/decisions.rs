//! What an owner decides, all of it at once.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use super::{HOOK, REVIEW, answer, answer_all, items, used_before};
use crate::harness::{OWNER, TestDashboard};

#[on_each_database]
async fn what_is_kept_is_kept_and_the_rest_goes(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &["server", "old-server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    let items = items(&owner.get(REVIEW).await);
    let [first, second, webhook, send] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!(webhook, "webhook");
    let answers = [
        (first.as_str(), "keep"),
        (second.as_str(), "delete"),
        (webhook.as_str(), "delete"),
        (send.as_str(), "delete"),
    ];
    assert_eq!(answer(&mut owner, &app, &answers).await, REVIEW);
    assert_eq!(owner.get(REVIEW).await.location(), "/apps");
    let keys = owner.get(&format!("{app}/keys")).await;
    keys.shows("server").hides("old-server");
    let events = owner.get(&format!("{app}/keys/history")).await;
    events.shows("old-server").shows(OWNER);
    owner.get(&format!("{app}/webhook")).await.hides(HOOK);
    owner
        .get(&format!("{app}/history"))
        .await
        .shows("status cancelled");
}

#[on_each_database]
async fn all_of_it_may_be_kept(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &["server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    assert_eq!(answer_all(&mut owner, &app, "keep").await, REVIEW);
    owner.get(&format!("{app}/keys")).await.shows("server");
    owner.get(&format!("{app}/webhook")).await.shows(HOOK);
    owner
        .get(&format!("{app}/history"))
        .await
        .shows("status queued");
    assert_eq!(owner.get(REVIEW).await.location(), "/apps");
}

#[on_each_database]
async fn nothing_is_decided_before_everything_is(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &["server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    let items = items(&owner.get(REVIEW).await);
    for missing in 0..items.len() {
        let answered = items
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != missing);
        let answers: Vec<_> = answered
            .map(|(_, item)| (item.as_str(), "delete"))
            .collect();
        let refused = answer(&mut owner, &app, &answers).await;
        assert_eq!(
            refused,
            "/account/review?error=INVALID_INPUT&form=review#review"
        );
    }
    let unknown: Vec<_> = items
        .iter()
        .map(|item| (item.as_str(), "perhaps"))
        .collect();
    let refused = answer(&mut owner, &app, &unknown).await;
    let page = owner.get(&refused).await;
    page.shows(ErrorCode::InvalidInput.message())
        .shows("前からの便り");
    assert_eq!(super::items(&page), items, "nothing has changed");
}

#[on_each_database]
async fn of_many_sends_the_older_ones_are_decided_about_together(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut before = dashboard.logged_in(OWNER).await;
    let app = before.create_app("blog").await;
    before.subscribe(&app, 1).await;
    let mut oldest = String::new();
    for number in 0..52 {
        let send = before.send(&app, &format!("便り {number}")).await;
        if number == 0 {
            oldest = send;
        }
    }
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    let page = owner.get(REVIEW).await;
    let items = items(&page);
    assert_eq!(items.len(), 51);
    assert_eq!(items.last().map(String::as_str), Some("other_sends"));
    page.shows("便り 51")
        .shows("これより古い")
        .hides("<b>便り 1</b>");
    let answers: Vec<_> = items
        .iter()
        .map(|item| match item.as_str() {
            "other_sends" => (item.as_str(), "delete"),
            _ => (item.as_str(), "keep"),
        })
        .collect();
    assert_eq!(answer(&mut owner, &app, &answers).await, REVIEW);
    owner.get(&oldest).await.shows("中止");
    let newest = owner.get(&format!("{app}/history")).await;
    assert_eq!(
        newest.body.matches("status queued").count(),
        20,
        "a whole page"
    );
}
