//! Claims that exclude apps.

use hato_service::ports::NextPage;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at};

#[on_each_database]
async fn pages_of_excluded_apps_are_left_to_a_later_claim(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (first, second) = (test.app().await, test.app().await);
    for app in [&first, &second] {
        test.subscribe(app, 1).await;
    }
    test.broadcast(&first, START).await;
    test.broadcast(&second, at(1)).await;
    let NextPage::Claimed(page) = test
        .next_page(at(1), 10, std::slice::from_ref(&first))
        .await
    else {
        panic!("a page is due")
    };
    assert_eq!(page.app_id, second);
    assert_eq!(test.claim(at(1), 10).await.app_id, first);
}

#[on_each_database]
async fn excluded_apps_do_not_count_for_the_next_due_time(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (first, second) = (test.app().await, test.app().await);
    for app in [&first, &second] {
        test.subscribe(app, 1).await;
    }
    test.broadcast(&first, START).await;
    test.broadcast(&second, at(500)).await;
    for (excluded, expected) in [
        (vec![first.clone()], Some(at(500))),
        (vec![first, second], None),
    ] {
        let NextPage::Idle { next_due } = test.next_page(at(1), 10, &excluded).await else {
            panic!("nothing is due")
        };
        assert_eq!(next_due, expected);
    }
}
