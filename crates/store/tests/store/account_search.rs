//! What is found in all apps of an account.

use hato_domain::{AccountId, FieldChange, Plan, SubscriptionId, UserId};
use hato_service::ports::{Audience, SubscriptionKey};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{TestStore, at, notification};

/// The titles that a search finds, and whether it was cut short.
async fn titles(test: &TestStore, account: &AccountId, part: &str) -> (Vec<String>, bool) {
    let found = test.store.sends_of_account(account, part, 3).await;
    let found = found.expect("found");
    let titles = found.items.into_iter().map(|send| send.title);
    (titles.collect(), found.is_cut_short)
}

#[on_each_database]
async fn texts_are_searched_as_they_were_written(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Pro).await;
    let app = test.app_of(&account).await;
    let mut send = test.new_send(&app, Audience::Everyone, at(0));
    send.notification = notification("a\u{1a}b");
    test.accept(send).await;
    let (found, _) = titles(&test, &account, "a\u{1a}b").await;
    assert_eq!(found, ["a\u{1a}b"]);
    for stored in ["1b", "0b"] {
        let (found, _) = titles(&test, &account, stored).await;
        assert!(found.is_empty(), "{found:?}");
    }
}

#[on_each_database]
async fn the_newest_sends_of_all_apps_are_found(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (account, other) = (test.account(Plan::Pro).await, test.account(Plan::Pro).await);
    let (first, second) = (test.app_of(&account).await, test.app_of(&account).await);
    let strange = test.app_of(&other).await;
    for (number, app) in [&first, &second, &first, &strange, &second]
        .into_iter()
        .enumerate()
    {
        let now = at(i64::try_from(number).expect("small"));
        let mut send = test.new_send(app, Audience::Everyone, now);
        send.notification = notification(&format!("Ünique {number}"));
        test.accept(send).await;
    }
    let newest = ["Ünique 4", "Ünique 2", "Ünique 1"].map(str::to_owned);
    assert_eq!(
        titles(&test, &account, "üNIQUE").await,
        (newest.to_vec(), false)
    );
    let only = vec!["Ünique 0".to_owned()];
    assert_eq!(titles(&test, &account, "e 0").await, (only, false));
    assert_eq!(titles(&test, &account, "e 3").await, (Vec::new(), false));
    assert_eq!(titles(&test, &account, "%").await, (Vec::new(), false));
    let deleted = test.store.delete_app(&second, at(9)).await;
    assert!(deleted.expect("deleted"));
    let left = ["Ünique 2", "Ünique 0"].map(str::to_owned);
    assert_eq!(
        titles(&test, &account, "ünique").await,
        (left.to_vec(), false)
    );
}

#[on_each_database]
async fn subscriptions_of_all_apps_are_found_by_id_and_by_user(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (account, other) = (test.account(Plan::Pro).await, test.account(Plan::Pro).await);
    let (first, second) = (test.app_of(&account).await, test.app_of(&account).await);
    let strange = test.app_of(&other).await;
    let mut ids: Vec<SubscriptionId> = Vec::new();
    for (number, app) in [&first, &second, &strange].into_iter().enumerate() {
        let mut subscription = test.new_subscription(app, number);
        subscription.created_at = at(i64::try_from(number).expect("small"));
        subscription.profile.user_id = FieldChange::Set(UserId::trusted("member 7"));
        ids.push(subscription.id.clone());
        let registered = test.store.register_subscription(subscription).await;
        registered.expect("registered");
    }
    let found = async |account: &AccountId, key: SubscriptionKey, limit| {
        let found = test
            .store
            .subscriptions_of_account(account, &key, limit)
            .await;
        let items = found.expect("found").items.into_iter();
        items.map(|it| (it.app, it.id)).collect::<Vec<_>>()
    };
    let user = SubscriptionKey::User(UserId::trusted("member 7"));
    let own = [
        (second.clone(), ids[1].clone()),
        (first.clone(), ids[0].clone()),
    ];
    assert_eq!(found(&account, user.clone(), 5).await, own);
    assert_eq!(found(&account, user.clone(), 1).await, own[..1]);
    let strange = [(strange, ids[2].clone())];
    assert_eq!(found(&other, user, 5).await, strange);
    let by_id = SubscriptionKey::Id(ids[0].clone());
    assert_eq!(found(&account, by_id.clone(), 5).await, own[1..]);
    assert_eq!(found(&other, by_id, 5).await, []);
}
