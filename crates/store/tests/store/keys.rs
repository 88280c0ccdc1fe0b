//! API keys.

use hato_domain::{AppId, KeyEventId, KeyId, Scope};
use hato_service::ports::DeletedKey;
use uuid::Uuid;

use crate::world::{START, World, actor, at};

#[tokio::test]
async fn a_key_is_found_by_its_hash() {
    let world = World::new().await;
    let app = world.app().await;
    let key = world.new_key(&app, [1; 32]);
    let id = key.id.clone();
    assert!(world.store.create_key(key).await.expect("stored"));
    let found = world
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
        world
            .store
            .key_by_hash([2; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[tokio::test]
async fn keys_are_listed_oldest_first_and_only_those_of_the_app() {
    let world = World::new().await;
    let (app, other) = (world.app().await, world.app().await);
    world
        .store
        .create_key(world.new_key(&other, [0; 32]))
        .await
        .expect("stored");
    for (hash, age) in [(1, 20), (2, 30), (3, 10)] {
        let mut key = world.new_key(&app, [hash; 32]);
        key.created_at = at(age);
        world.store.create_key(key).await.expect("stored");
    }
    let listed = world.store.keys_of(&app).await.expect("listed");
    let ages: Vec<_> = listed.iter().map(|key| key.created_at).collect();
    assert_eq!(ages, [at(10), at(20), at(30)]);
}

#[tokio::test]
async fn a_key_for_an_app_that_is_gone_is_not_made() {
    let world = World::new().await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(
        !world
            .store
            .create_key(world.new_key(&app, [1; 32]))
            .await
            .expect("refused")
    );
    assert!(
        world
            .store
            .key_by_hash([1; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[tokio::test]
async fn a_failed_event_undoes_its_key() {
    let world = World::new().await;
    let app = world.app().await;
    let first = world.new_key(&app, [1; 32]);
    let mut second = world.new_key(&app, [2; 32]);
    second.event_id = first.event_id.clone();
    assert!(world.store.create_key(first).await.expect("stored"));
    assert!(world.store.create_key(second).await.is_err());
    assert!(
        world
            .store
            .key_by_hash([2; 32])
            .await
            .expect("read")
            .is_none()
    );
}

#[tokio::test]
async fn uses_only_move_forward() {
    let world = World::new().await;
    let app = world.app().await;
    let (used, idle) = (world.new_key(&app, [1; 32]), world.new_key(&app, [2; 32]));
    let id = used.id.clone();
    for key in [used, idle] {
        world.store.create_key(key).await.expect("stored");
    }
    for age in [5, 9, 7] {
        world
            .store
            .record_key_uses(vec![(id.clone(), at(age))])
            .await
            .expect("recorded");
    }
    world
        .store
        .record_key_uses(Vec::new())
        .await
        .expect("nothing to do");
    let last = async |hash| {
        let key = world
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

async fn delete(world: &World, app: &AppId, id: &KeyId) -> bool {
    let key = DeletedKey {
        id: id.clone(),
        app_id: app.clone(),
        event_id: KeyEventId::from_uuid(world.uuid()),
        actor: actor(),
        now: START,
    };
    world.store.delete_key(key).await.expect("judged")
}

#[tokio::test]
async fn a_key_is_deleted_once_and_only_by_its_app() {
    let world = World::new().await;
    let (app, other) = (world.app().await, world.app().await);
    let (key, kept) = (world.new_key(&app, [1; 32]), world.new_key(&app, [2; 32]));
    let id = key.id.clone();
    for key in [key, kept] {
        world.store.create_key(key).await.expect("stored");
    }
    let found = async |hash| {
        let key = world.store.key_by_hash(hash).await;
        key.expect("read").is_some()
    };
    assert!(!delete(&world, &other, &id).await);
    assert!(found([1; 32]).await);
    assert!(delete(&world, &app, &id).await);
    assert!(!found([1; 32]).await);
    assert!(!delete(&world, &app, &id).await);
    assert!(found([2; 32]).await);
    let uses = vec![(id, at(1))];
    let recorded = world.store.record_key_uses(uses).await;
    recorded.expect("a use of a deleted key is nobody's");
}
