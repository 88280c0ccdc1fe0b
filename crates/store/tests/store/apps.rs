//! Apps: the limit on their number, their webhooks, and their end.

use futures_util::future::join_all;
use hato_domain::{AccountId, AppId, Email, Name, OutboundPolicy, Plan, WebhookUrl};
use hato_service::ports::{
    AcceptSendOutcome, Audience, CreateAppOutcome, RegisterOutcome, SetWebhookOutcome,
    SettleOutcome, Settlement,
};
use uuid::Uuid;

use crate::world::{START, World, at};

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
            .filter(|answer| matches!(answer, Ok(Ok(CreateAppOutcome::Created))))
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

fn hook(number: u8) -> WebhookUrl {
    let url = format!("https://hooks.example/{number}");
    WebhookUrl::parse(&url, &OutboundPolicy::default()).expect("a URL")
}

#[tokio::test]
async fn setting_a_webhook_takes_pro_and_clearing_it_does_not() {
    let world = World::new().await;
    let account = world.new_account("owner@example.com", Plan::Pro);
    let app = {
        let id = account.id.clone();
        world.store.create_account(account).await.expect("stored");
        world.app_of(&id).await
    };
    let set = async |url| world.store.set_webhook(&app, url).await.expect("judged");
    let stored = async || world.record(&app).await.webhook_url;
    assert_eq!(set(Some(hook(1))).await, SetWebhookOutcome::Done);
    let email = Email::parse("owner@example.com").expect("an address");
    let lowered = world.store.set_plan(&email, Plan::Free).await;
    assert!(lowered.expect("stored"));
    assert_eq!(set(Some(hook(2))).await, SetWebhookOutcome::PlanRequired);
    assert_eq!(stored().await.as_deref(), Some(hook(1).as_str()));
    assert_eq!(set(None).await, SetWebhookOutcome::Done);
    assert_eq!(stored().await, None);
}

#[tokio::test]
async fn an_app_that_is_gone_has_no_webhook() {
    let world = World::new().await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    for url in [None, Some(hook(1))] {
        let set = world.store.set_webhook(&app, url).await;
        assert_eq!(set.expect("judged"), SetWebhookOutcome::NoApp);
    }
}

/// Deletes the app, which must be there.
async fn delete(world: &World, app: &AppId) {
    let deleted = world.store.delete_app(app, START).await;
    assert!(deleted.expect("deleted"));
}

async fn purge(world: &World) {
    while world.store.purge_deleted_apps(3).await.expect("removed") {}
}

#[tokio::test]
async fn a_deleted_app_is_gone_before_its_rows_are() {
    let world = World::new().await;
    let account = world.account(Plan::Free).await;
    let app = world.app_of(&account).await;
    world.subscribe_all(&app, 3).await;
    let key = world.new_key(&app, [1; 32]);
    world.store.create_key(key).await.expect("stored");
    world.broadcast(&app, START).await;
    delete(&world, &app).await;

    assert!(world.store.app(&app).await.expect("read").is_none());
    assert!(
        world
            .store
            .apps_of(&account)
            .await
            .expect("read")
            .is_empty()
    );
    let key = world.store.key_by_hash([1; 32]).await;
    assert!(key.expect("read").is_none());
    assert!(world.try_claim(at(1_000), 10).await.is_none());
    let key = world.new_key(&app, [2; 32]);
    assert!(!world.store.create_key(key).await.expect("refused"));
    for number in [0, 9] {
        let new = world.new_subscription(&app, number);
        let registered = world.store.register_subscription(new).await;
        assert_eq!(registered.expect("judged"), RegisterOutcome::NoApp);
    }
    let send = world.new_send(&app, Audience::Everyone, START);
    assert_eq!(world.accept(send).await, AcceptSendOutcome::NotFound);
    let set = world.store.set_webhook(&app, None).await;
    assert_eq!(set.expect("judged"), SetWebhookOutcome::NoApp);
    assert!(!world.store.delete_app(&app, START).await.expect("judged"));
    assert_ne!(world.app_of(&account).await, app, "it counts no more");
    assert_eq!(world.store.apps_of(&account).await.expect("read").len(), 1);
    purge(&world).await;
}

#[tokio::test]
async fn the_app_of_another_keeps_everything() {
    let world = World::new().await;
    let (app, other) = (world.app().await, world.app().await);
    for app in [&app, &other] {
        world.subscribe_all(app, 5).await;
        world.broadcast(app, START).await;
    }
    delete(&world, &app).await;
    purge(&world).await;
    assert_eq!(world.deliver_all(START, 10).await.len(), 5);
    let [send] = &world.history(&other).await[..] else {
        panic!("one send")
    };
    assert_eq!(send.counts.sent, 5);
    assert_eq!(world.record(&other).await.active_subscriptions, 5);
}

#[tokio::test]
async fn a_page_in_flight_of_a_deleted_app_is_settled_by_nobody() {
    let world = World::new().await;
    let app = world.app().await;
    world.subscribe(&app, 0).await;
    world.broadcast(&app, START).await;
    let page = world.claim(START, 10).await;
    delete(&world, &app).await;
    for gone in [false, true] {
        if gone {
            purge(&world).await;
        }
        let settled = world.settle(&page, Settlement::default()).await;
        assert_eq!(settled, SettleOutcome::LeaseLost);
    }
    assert!(world.recipients(&page).await.is_empty());
}

#[tokio::test]
async fn an_app_is_renamed_while_it_is_there() {
    let world = World::new().await;
    let app = world.app().await;
    let name = Name::parse("another").expect("a name");
    assert!(world.store.rename_app(&app, &name).await.expect("done"));
    assert_eq!(world.record(&app).await.name, "another");
    assert!(world.store.delete_app(&app, at(1)).await.expect("deleted"));
    assert!(!world.store.rename_app(&app, &name).await.expect("done"));
}
