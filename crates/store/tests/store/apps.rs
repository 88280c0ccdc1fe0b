//! Apps and the limit on their number.

use futures_util::future::join_all;
use hato_domain::{AccountId, AppId, Plan};
use hato_service::ports::CreatedApp;
use uuid::Uuid;

use crate::world::{World, at};

#[tokio::test]
async fn an_app_is_read_back_with_the_plan_of_its_account() {
    let world = World::new().await;
    let account = world.account(Plan::Free).await;
    let app = world.app_of(&account).await;
    let record = world.record(&app).await;
    assert_eq!(
        (record.id, record.account_id, record.name.as_str()),
        (app, account, "app")
    );
    assert_eq!(
        (record.vapid_public_key, record.webhook_url),
        (vec![4; 65], None)
    );
    assert_eq!((record.plan, record.active_subscriptions), (Plan::Free, 0));
}

#[tokio::test]
async fn an_unknown_app_is_none() {
    let world = World::new().await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(world.store.app(&app).await.expect("read").is_none());
}

#[tokio::test]
async fn apps_are_listed_oldest_first_and_only_those_of_the_account() {
    let world = World::new().await;
    let (account, other) = (
        world.account(Plan::Pro).await,
        world.account(Plan::Pro).await,
    );
    world.app_of(&other).await;
    let mut made = Vec::new();
    for age in [20, 30, 10] {
        let mut app = world.new_app(&account);
        app.created_at = at(age);
        made.push((age, app.id.clone()));
        world.store.create_app(app).await.expect("stored");
    }
    made.sort();
    let listed = world.store.apps_of(&account).await.expect("listed");
    let listed: Vec<_> = listed.into_iter().map(|app| app.id).collect();
    assert_eq!(
        listed,
        made.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_at_once_make_one_app_on_free_and_sixteen_on_pro() {
    for (plan, most) in [(Plan::Free, 1), (Plan::Pro, 16)] {
        let world = World::new().await;
        let account = world.account(plan).await;
        let callers = (0..16).map(|_| {
            let (store, app) = (world.store.clone(), world.new_app(&account));
            tokio::spawn(async move { store.create_app(app).await })
        });
        let answers = join_all(callers).await.into_iter();
        let made = answers
            .filter(|answer| matches!(answer, Ok(Ok(CreatedApp::Created))))
            .count();
        assert_eq!(made, most);
        assert_eq!(
            world.store.apps_of(&account).await.expect("listed").len(),
            most
        );
    }
}

#[tokio::test]
async fn an_app_of_nobody_is_an_error() {
    let world = World::new().await;
    let nobody = AccountId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(
        world
            .store
            .create_app(world.new_app(&nobody))
            .await
            .is_err()
    );
}
