//! API keys: found by their hash, listed for their app only, and deleted once.

use hato_domain::{AppId, KeyEventId, KeyId, Scope};
use hato_service::ports::{CreateKeyOutcome, DeletedKey, KEY_EVENT_WINDOW, MAX_KEY_EVENTS};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{START, TestStore, actor, at};

#[on_each_database]
async fn a_key_is_found_by_its_hash(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let key = test.new_key(&app, [1; 32]);
    let id = key.record.id.clone();
    test.create_key(key).await;
    let found = test
        .store
        .key_by_hash([1; 32])
        .await
        .expect("read")
        .expect("the key");
    assert_eq!(found.vapid_public_key, vec![4; 65]);
    let found = found.record;
    assert_eq!(
        (found.id, found.app_id, found.name.as_str()),
        (id, app, "key")
    );
    assert_eq!((found.scope, found.last_used_at), (Scope::Notify, None));
    assert_eq!(found.created_at, START);
    assert!(
        test.store
            .key_by_hash([2; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn keys_are_listed_oldest_first_and_only_those_of_the_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    test.create_key(test.new_key(&other, [0; 32])).await;
    for (hash, age) in [(1, 20), (2, 30), (3, 10)] {
        let mut key = test.new_key(&app, [hash; 32]);
        key.record.created_at = at(age);
        test.create_key(key).await;
    }
    let listed = test.store.keys_of(&app).await.expect("listed");
    let ages: Vec<_> = listed.iter().map(|key| key.created_at).collect();
    assert_eq!(ages, [at(10), at(20), at(30)]);
}

#[on_each_database]
async fn a_key_for_an_app_that_is_gone_is_not_made(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    let refused = test.store.create_key(test.new_key(&app, [1; 32])).await;
    assert_eq!(refused.expect("judged"), CreateKeyOutcome::NoApp);
    assert!(
        test.store
            .key_by_hash([1; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn an_app_has_at_most_a_thousand_keys(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let hash = |number: u16| {
        let mut hash = [0; 32];
        hash[..2].copy_from_slice(&number.to_be_bytes());
        hash
    };
    let first = test.new_key(&app, hash(0));
    let first_id = first.record.id.clone();
    test.create_key(first).await;
    for number in 1..1_000 {
        test.create_key(test.new_key(&app, hash(number))).await;
    }
    let one_more = || test.store.create_key(test.new_key(&app, hash(1_000)));
    assert_eq!(
        one_more().await.expect("judged"),
        CreateKeyOutcome::LimitReached
    );
    assert_eq!(test.store.keys_of(&app).await.expect("listed").len(), 1_000);
    test.create_key(test.new_key(&other, hash(1_001))).await;
    let deleted = DeletedKey {
        id: first_id,
        app_id: app.clone(),
        event_id: KeyEventId::from_uuid(test.uuid()),
        actor: actor(),
        now: START,
    };
    assert!(test.store.delete_key(deleted).await.expect("deleted"));
    assert_eq!(one_more().await.expect("judged"), CreateKeyOutcome::Created);
}

#[on_each_database]
async fn a_failed_event_undoes_its_key(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let first = test.new_key(&app, [1; 32]);
    let mut second = test.new_key(&app, [2; 32]);
    second.event_id = first.event_id.clone();
    test.create_key(first).await;
    assert!(test.store.create_key(second).await.is_err());
    assert!(
        test.store
            .key_by_hash([2; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn uses_only_move_forward(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let (used, idle) = (test.new_key(&app, [1; 32]), test.new_key(&app, [2; 32]));
    let id = used.record.id.clone();
    for key in [used, idle] {
        test.create_key(key).await;
    }
    for age in [5, 9, 7] {
        test.store
            .record_key_uses(vec![(id.clone(), at(age))])
            .await
            .expect("recorded");
    }
    test.store
        .record_key_uses(Vec::new())
        .await
        .expect("nothing to do");
    let last = async |hash| {
        let key = test
            .store
            .key_by_hash(hash)
            .await
            .expect("read")
            .expect("the key");
        key.record.last_used_at
    };
    assert_eq!(last([1; 32]).await, Some(at(9)));
    assert_eq!(last([2; 32]).await, None);
}

async fn delete(test: &TestStore, app: &AppId, id: &KeyId) -> bool {
    let key = DeletedKey {
        id: id.clone(),
        app_id: app.clone(),
        event_id: KeyEventId::from_uuid(test.uuid()),
        actor: actor(),
        now: START,
    };
    test.store.delete_key(key).await.expect("judged")
}

#[on_each_database]
async fn a_key_is_deleted_once_and_only_by_its_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let (key, kept) = (test.new_key(&app, [1; 32]), test.new_key(&app, [2; 32]));
    let id = key.record.id.clone();
    for key in [key, kept] {
        test.create_key(key).await;
    }
    let found = async |hash| {
        let key = test.store.key_by_hash(hash).await;
        key.expect("read").is_some()
    };
    assert!(!delete(&test, &other, &id).await);
    assert!(found([1; 32]).await);
    assert!(delete(&test, &app, &id).await);
    assert!(!found([1; 32]).await);
    assert!(!delete(&test, &app, &id).await);
    assert!(found([2; 32]).await);
    let uses = vec![(id, at(1))];
    let recorded = test.store.record_key_uses(uses).await;
    recorded.expect("a use of a deleted key is nobody's");
}

#[on_each_database]
async fn keys_that_come_and_go_fill_no_history(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let make = async |app: &AppId, millis: i64| {
        let mut key = test.new_key(app, [0; 32]);
        key.hash[..16].copy_from_slice(&test.uuid().into_bytes());
        key.record.created_at = at(millis);
        let id = key.record.id.clone();
        let outcome = test.store.create_key(key).await.expect("judged");
        (outcome, id)
    };
    let delete = async |id: KeyId, millis: i64| {
        let key = DeletedKey {
            id,
            app_id: app.clone(),
            event_id: KeyEventId::from_uuid(test.uuid()),
            actor: actor(),
            now: at(millis),
        };
        test.store.delete_key(key).await.expect("deleted")
    };
    let (_, kept) = make(&app, 0).await;
    for _ in 0..MAX_KEY_EVENTS / 2 {
        let (outcome, id) = make(&app, 1).await;
        assert_eq!(outcome, CreateKeyOutcome::Created);
        assert!(delete(id, 1).await);
    }
    let day = i64::try_from(KEY_EVENT_WINDOW.as_millis()).expect("a day");
    assert_eq!(make(&app, 2).await.0, CreateKeyOutcome::OverRateLimit);
    assert_eq!(make(&app, day).await.0, CreateKeyOutcome::OverRateLimit);
    assert_eq!(make(&other, 2).await.0, CreateKeyOutcome::Created);
    assert!(delete(kept, 2).await, "a key can always be deleted");
    assert_eq!(make(&app, day + 1).await.0, CreateKeyOutcome::Created);
}
