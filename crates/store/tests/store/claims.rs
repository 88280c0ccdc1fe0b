//! Claiming: broadcasts in pages, shared by many claimers and fair to others.

use std::collections::HashSet;

use futures_util::future::join_all;
use hato_service::ports::SendStatus::{self, Done, Queued, Sending};
use hato_service::ports::{PageRange, RecipientId};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, ids};

#[on_each_database(flavor = "multi_thread")]
async fn concurrent_claimers_cover_every_active_subscription_once(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 1_250).await;
    join_all((0..16).map(|number| test.unsubscribe(&app, number * 70))).await;
    let send = test.broadcast(&app, START).await;
    let reached = join_all((0..5).map(|_| test.deliver_all(START, 100)))
        .await
        .concat();
    assert_eq!(reached.len(), 1_234);
    assert_eq!(
        reached.into_iter().collect::<HashSet<RecipientId>>().len(),
        1_234
    );
    let send = test.send(&app, &send).await;
    assert_eq!((send.status, send.recipients), (SendStatus::Done, 1_234));
    assert_eq!((send.counts.sent, send.counts.skipped), (1_234, 0));
}

#[on_each_database]
async fn pages_are_full_and_none_is_empty(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 300).await;
    test.broadcast(&app, START).await;
    for _ in 0..3 {
        assert_eq!(test.deliver(&test.claim(START, 100).await).await.len(), 100);
    }
    assert_eq!(test.next_due(START).await, None);
}

#[on_each_database]
async fn the_first_claim_moves_the_send_to_sending_and_the_last_settlement_to_done(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 2).await;
    let send = test.broadcast(&app, START).await;
    let mut seen = vec![test.send(&app, &send).await.status];
    for _ in 0..2 {
        let page = test.claim(START, 1).await;
        seen.push(test.send(&app, &send).await.status);
        test.deliver(&page).await;
    }
    seen.push(test.send(&app, &send).await.status);
    assert_eq!(seen, [Queued, Sending, Sending, Done]);
}

#[on_each_database]
async fn a_send_to_one_waits_for_at_most_one_more_page_of_a_broadcast(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (big, small) = (test.app().await, test.app().await);
    test.subscribe_all(&big, 500).await;
    test.subscribe(&small, 0).await;
    test.broadcast(&big, START).await;
    assert_eq!(test.claim(at(1), 100).await.app_id, big);
    let urgent = test.send_to(&small, 0, at(2)).await;
    let next = [test.claim(at(3), 100).await, test.claim(at(4), 100).await];
    assert!(next.iter().any(|page| page.send_id == urgent));
}

#[on_each_database]
async fn two_broadcasts_of_the_same_moment_take_turns(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (one, other) = (test.app().await, test.app().await);
    for app in [&one, &other] {
        test.subscribe_all(app, 30).await;
        test.broadcast(app, START).await;
    }
    for _ in 0..3 {
        let turn = [
            test.claim(START, 10).await.app_id,
            test.claim(START, 10).await.app_id,
        ];
        assert_eq!(turn, [one.clone(), other.clone()]);
    }
}

#[on_each_database]
async fn who_meets_others_at_a_broadcast_leaves_two_parts_of_it(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 100).await;
    let send = test.broadcast(&app, START).await;
    let first = test.try_claim_splitting(START, 10).await;
    let mut reached = test.deliver(&first.expect("it is due")).await;
    let claims = [test.claim(START, 10).await, test.claim(START, 10).await];
    let starts = claims.each_ref().map(|page| match page.range {
        PageRange::Positions { after, .. } => after,
        PageRange::List(_) | PageRange::Selected(_) => panic!("a part of a broadcast"),
    });
    assert_eq!(starts[1] - starts[0], 40, "half of the pages that are left");
    for page in &claims {
        reached.extend(test.deliver(page).await);
    }
    reached.extend(test.deliver_all(START, 10).await);
    let everybody: HashSet<RecipientId> = reached.iter().copied().collect();
    assert_eq!((reached.len(), everybody.len()), (100, 100));
    assert_eq!(test.send(&app, &send).await.status, Done);
}

#[on_each_database]
async fn whoever_came_back_is_no_recipient_of_an_older_broadcast(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 10).await;
    let older = test.broadcast(&app, START).await;
    test.unsubscribe(&app, 3).await;
    test.subscribe(&app, 3).await;
    test.subscribe(&app, 10).await;
    assert_eq!(test.deliver_all(START, 4).await.len(), 9);
    let older = test.send(&app, &older).await;
    assert_eq!(
        (older.recipients, older.counts.sent, older.counts.skipped),
        (10, 9, 1)
    );
    test.broadcast(&app, START).await;
    assert_eq!(test.deliver_all(START, 4).await.len(), 11);
}

#[on_each_database]
async fn whoever_unsubscribes_before_their_page_is_skipped(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    // One after the other: whose page is the first is not left to chance.
    for number in 0..250 {
        test.subscribe(&app, number).await;
    }
    let send = test.broadcast(&app, START).await;
    let first = test.claim(START, 100).await;
    for number in [5, 105, 249] {
        test.unsubscribe(&app, number).await;
    }
    assert_eq!(test.deliver(&first).await.len(), 99);
    assert_eq!(test.send(&app, &send).await.counts.skipped, 0);
    assert_eq!(test.deliver_all(START, 100).await.len(), 148);
    let counts = test.send(&app, &send).await.counts;
    assert_eq!((counts.sent, counts.skipped), (247, 3));
}

#[on_each_database]
async fn a_send_whose_whole_audience_left_is_done_with_all_skipped(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe_all(&app, 3).await;
    let send = test.broadcast(&app, START).await;
    join_all((0..3).map(|number| test.unsubscribe(&app, number))).await;
    assert!(test.deliver_all(START, 100).await.is_empty());
    let send = test.send(&app, &send).await;
    assert_eq!((send.status, send.counts.skipped), (SendStatus::Done, 3));
}

#[on_each_database]
async fn nothing_is_due_before_its_time(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, at(50)).await;
    assert_eq!(test.next_due(at(49)).await, Some(at(50)));
    let page = test.claim(at(50), 100).await;
    assert_eq!(ids(&test.recipients(&page).await).len(), 1);
}
