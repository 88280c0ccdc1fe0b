//! Claims that exclude apps.

use std::slice;

use hato_service::ports::NextPage;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at};

/// How many jobs of an excluded app come before another app's: a few, and more than are looked at one by one.
const BEFORE: [usize; 2] = [1, 300];

#[on_each_database(flavor = "multi_thread")]
async fn pages_of_excluded_apps_are_left_to_a_later_claim(database: TestDatabase) {
    for before in BEFORE {
        let test = TestStore::new(database.another().await).await;
        let (first, second) = (test.app().await, test.app().await);
        for app in [&first, &second] {
            test.subscribe(app, 1).await;
        }
        for _ in 0..before {
            test.send_to(&first, 1, START).await;
        }
        test.broadcast(&second, at(1)).await;
        let NextPage::Claimed(page) = test.next_page(at(1), 10, slice::from_ref(&first)).await
        else {
            panic!("a page is due")
        };
        assert_eq!(page.app_id, second);
        assert_eq!(test.claim(at(1), 10).await.app_id, first);
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn excluded_apps_do_not_count_for_the_next_due_time(database: TestDatabase) {
    for before in BEFORE {
        let test = TestStore::new(database.another().await).await;
        let (first, second) = (test.app().await, test.app().await);
        for app in [&first, &second] {
            test.subscribe(app, 1).await;
        }
        test.broadcast(&first, START).await;
        for _ in 0..before {
            test.send_to(&first, 1, at(100)).await;
        }
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
}
