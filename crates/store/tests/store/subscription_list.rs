//! Subscriptions as lists show them, and their removal.

use hato_domain::{AppId, Cursor, SubscriptionId};
use hato_service::ports::{
    Deactivated, DeactivationReason, StateFilter, SubscriptionFilter, SubscriptionPage,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, endpoint, page};

async fn list(
    test: &TestStore,
    app: &AppId,
    filter: &SubscriptionFilter,
    before: Option<Cursor>,
) -> SubscriptionPage {
    let asked = page(2, before);
    let page = test.store.subscriptions_of(app, filter, &asked);
    page.await.expect("listed")
}

fn searching(text: &str, state: StateFilter) -> SubscriptionFilter {
    SubscriptionFilter {
        text: text.to_owned(),
        state,
        ..SubscriptionFilter::default()
    }
}

/// The last segment of each endpoint.
fn endpoints(page: &SubscriptionPage) -> Vec<&str> {
    let items = page.items.iter();
    items
        .filter_map(|item| item.endpoint.rsplit('/').next())
        .collect()
}

#[on_each_database]
async fn pages_are_newest_first_and_end(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for number in 1..=5 {
        test.subscribe(&app, number).await;
    }
    test.subscribe(&other, 9).await;
    let everything = SubscriptionFilter::default();
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = list(&test, &app, &everything, before).await;
        seen.extend(endpoints(&page).into_iter().map(str::to_owned));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["5", "4", "3", "2", "1"]);
}

#[on_each_database]
async fn a_search_takes_every_letter_as_it_is(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for number in [1, 12, 3] {
        test.subscribe(&app, number).await;
    }
    for (text, found) in [
        ("PUSH.example/1", vec!["12", "1"]),
        ("example/3", vec!["3"]),
        ("example_3", vec![]),
        ("%", vec![]),
        ("\\", vec![]),
    ] {
        let page = list(&test, &app, &searching(text, StateFilter::Any), None).await;
        assert_eq!(endpoints(&page), found, "{text}");
        assert_eq!(page.next, None, "{text}");
    }
}

#[on_each_database]
async fn states_are_told_apart_with_their_reason(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    for number in [1, 2] {
        test.subscribe(&app, number).await;
    }
    let first = endpoint(1);
    let left = test.store.unsubscribe(&app, &first, at(7)).await;
    left.expect("unsubscribed");
    let active = list(&test, &app, &searching("", StateFilter::Active), None).await;
    assert_eq!(endpoints(&active), ["2"]);
    let ended = list(&test, &app, &searching("", StateFilter::Deactivated), None).await;
    assert_eq!(endpoints(&ended), ["1"]);
    let reason = DeactivationReason::Unsubscribed;
    let ended = ended.items.first().and_then(|item| item.deactivated);
    assert_eq!(ended, Some(Deactivated { at: at(7), reason }));
}

#[on_each_database]
async fn a_removed_subscription_counts_no_more_and_is_removed_once(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for number in [1, 2] {
        test.subscribe(&app, number).await;
    }
    let page = list(&test, &app, &SubscriptionFilter::default(), None).await;
    let ids: Vec<SubscriptionId> = page.items.into_iter().map(|item| item.id).collect();
    let remove = async |app: &AppId, id: &SubscriptionId| {
        let removed = test.store.remove_subscription(app, id, START).await;
        removed.expect("done")
    };
    assert!(!remove(&other, &ids[0]).await);
    assert!(remove(&app, &ids[0]).await);
    assert!(!remove(&app, &ids[0]).await);
    assert_eq!(test.record(&app).await.active_subscriptions, 1);
    let first = endpoint(1);
    let left = test.store.unsubscribe(&app, &first, at(7)).await;
    left.expect("unsubscribed");
    assert!(remove(&app, &ids[1]).await);
    assert_eq!(test.record(&app).await.active_subscriptions, 0);
}
