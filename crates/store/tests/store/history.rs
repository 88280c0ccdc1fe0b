//! The history: newest first, by cursors that neither skip nor repeat.

use std::collections::HashSet;

use hato_domain::{Cursor, PageRequest, SendId};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{TestStore, at};

/// Three sends at each of four moments.
async fn twelve_sends(test: &TestStore, app: &hato_domain::AppId) -> HashSet<SendId> {
    let mut sends = HashSet::new();
    for number in 0..12 {
        sends.insert(test.broadcast(app, at(number % 4)).await);
    }
    sends
}

fn request(limit: &str, cursor: Option<Cursor>) -> PageRequest {
    let page = PageRequest::parse(Some(limit), None, None).expect("a limit");
    PageRequest { cursor, ..page }
}

#[on_each_database]
async fn pages_of_any_size_show_every_send_once_and_in_order(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let sends = twelve_sends(&test, &app).await;
    for limit in [1, 2, 5, 7, 12] {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = request(&limit.to_string(), cursor);
            let mut items = test
                .store
                .sends_of(&app, &page, None)
                .await
                .expect("listed");
            let more = items.len() > limit;
            items.truncate(limit);
            cursor = items.last().map(|last| Cursor {
                before: last.created_at,
                before_id: Some(last.id.to_string()),
            });
            seen.extend(items.into_iter().map(|item| (item.created_at, item.id)));
            if !more {
                break;
            }
        }
        assert!(seen.is_sorted_by(|a, b| a > b), "{limit}");
        assert_eq!(
            seen.into_iter().map(|(_, id)| id).collect::<HashSet<_>>(),
            sends
        );
    }
}

#[on_each_database]
async fn a_time_alone_means_strictly_older(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    twelve_sends(&test, &app).await;
    let cursor = Cursor {
        before: at(2),
        before_id: None,
    };
    let items = test
        .store
        .sends_of(&app, &request("100", Some(cursor)), None)
        .await
        .expect("listed");
    assert_eq!(items.len(), 6);
    assert!(items.iter().all(|item| item.created_at < at(2)));
}

#[on_each_database]
async fn another_apps_sends_are_not_shown(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.broadcast(&other, at(0)).await;
    assert!(test.history(&app).await.is_empty());
}
