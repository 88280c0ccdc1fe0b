//! Who is refused again and again.

use std::time::Duration;

use hato_domain::PageRequest;
use hato_service::ports::{DeactivationReason, SubscriptionFilter};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::TestEngine;

/// Why the app's subscriptions are not active.
async fn reasons(test: &TestEngine) -> Vec<Option<DeactivationReason>> {
    let everything = SubscriptionFilter::default();
    let newest = PageRequest::parse(Some("100"), None, None).expect("a page");
    let list = test
        .store
        .subscriptions_of(&test.app.id, &everything, &newest);
    let items = list.await.expect("listed").items.into_iter();
    items.map(|it| it.deactivated.map(|it| it.reason)).collect()
}

#[on_each_database]
async fn subscriptions_made_with_another_key_end_after_five_sends_on_three_days(
    database: TestDatabase,
) {
    let test = TestEngine::new(database).await;
    let other = test.other_app().await;
    let theirs = test.service.subscribe_many(Some(&other.public_key), 2);
    test.register(&test.app, &theirs).await;
    // Four on the first day, then one on each.
    for hours in [0, 0, 0, 0, 24, 24] {
        test.advance_clock(Duration::from_hours(hours));
        assert_eq!(reasons(&test).await, [None, None]);
        assert_eq!(test.deliver().await.counts.failed_other, 2);
    }
    let mismatch = Some(DeactivationReason::KeyMismatch);
    assert_eq!(reasons(&test).await, [mismatch, mismatch]);
    assert_eq!(test.deliver().await.recipients, 0);
    let letter = ("key_mismatch".to_owned(), Some(401), 1);
    assert_eq!(test.dead_letters().await, vec![letter; 12]);
}
