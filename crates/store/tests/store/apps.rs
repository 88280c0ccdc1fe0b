//! Apps: the limit on their number, their webhooks, and their end.

use futures_util::future::join_all;
use hato_domain::{AccountId, AppId, Email, Name, OutboundPolicy, Plan, SiteOrigin, WebhookUrl};
use hato_service::ports::{
    AcceptSendOutcome, AppChange, Audience, ChangeAppOutcome, CreateAppOutcome, CreateKeyOutcome,
    NewSubscription, NextPage, RegisterOutcome, SettleOutcome, Settlement,
};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{START, TestStore, at};

#[on_each_database]
async fn an_app_is_read_back_with_the_plan_of_its_account(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let app = test.app_of(&account).await;
    let record = test.record(&app).await;
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

#[on_each_database]
async fn an_unknown_app_is_none(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(test.store.app(&app).await.expect("read").is_none());
}

#[on_each_database]
async fn apps_are_listed_oldest_first_and_only_those_of_the_account(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (account, other) = (test.account(Plan::Pro).await, test.account(Plan::Pro).await);
    test.app_of(&other).await;
    let mut made = Vec::new();
    for age in [20, 30, 10] {
        let mut app = test.new_app(&account);
        app.created_at = at(age);
        made.push((age, app.id.clone()));
        test.store.create_app(app).await.expect("stored");
    }
    made.sort();
    let listed = test.store.apps_of(&account).await.expect("listed");
    let listed: Vec<_> = listed.into_iter().map(|app| app.id).collect();
    assert_eq!(
        listed,
        made.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    );
}

#[on_each_database]
async fn apps_are_found_by_a_part_of_their_name_and_one_comes_first(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (account, other) = (test.account(Plan::Pro).await, test.account(Plan::Pro).await);
    let mut ids = Vec::new();
    for (age, name) in [
        (1, "はとパン 100%"),
        (2, "Blog"),
        (3, "ÉCOLE_1"),
        (4, "Old blog"),
    ] {
        let mut app = test.new_app(&account);
        (app.created_at, app.name) = (at(age), name.to_owned());
        ids.push(app.id.clone());
        test.store.create_app(app).await.expect("stored");
    }
    let strange = test.app_of(&other).await;
    let find = async |text, first, limit| {
        let found = test.store.apps_with_name(&account, text, first, limit);
        let found = found.await.expect("found").into_iter();
        found.map(|app| app.name).collect::<Vec<_>>()
    };
    assert_eq!(find("bLOG", None, 5).await, ["Old blog", "Blog"]);
    assert_eq!(find("", None, 3).await, ["Old blog", "ÉCOLE_1", "Blog"]);
    assert_eq!(find("ÉCOLE", None, 5).await, ["ÉCOLE_1"]);
    for (text, name) in [
        ("パン", "はとパン 100%"),
        ("%", "はとパン 100%"),
        ("_", "ÉCOLE_1"),
    ] {
        assert_eq!(find(text, None, 5).await, [name]);
    }
    for text in ["!", "\0x", "%blog"] {
        assert!(find(text, None, 5).await.is_empty(), "{text}");
    }
    assert_eq!(
        find("blog", Some(&ids[0]), 2).await,
        ["はとパン 100%", "Old blog"]
    );
    assert_eq!(find("パン", Some(&strange), 5).await, ["はとパン 100%"]);
}

#[on_each_database(flavor = "multi_thread")]
async fn sixteen_at_once_make_one_app_on_free_and_sixteen_on_pro(database: TestDatabase) {
    for (plan, most) in [(Plan::Free, 1), (Plan::Pro, 16)] {
        let test = TestStore::new(database.another().await).await;
        let account = test.account(plan).await;
        let callers = (0..16).map(|_| {
            let (store, app) = (test.store.clone(), test.new_app(&account));
            tokio::spawn(async move { store.create_app(app).await })
        });
        let answers = join_all(callers).await.into_iter();
        let made = answers
            .filter(|answer| matches!(answer, Ok(Ok(CreateAppOutcome::Created))))
            .count();
        assert_eq!(made, most);
        assert_eq!(
            test.store.apps_of(&account).await.expect("listed").len(),
            most
        );
    }
}

#[on_each_database]
async fn an_app_of_nobody_is_an_error(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let nobody = AccountId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(test.store.create_app(test.new_app(&nobody)).await.is_err());
}

fn hook(number: u8) -> WebhookUrl {
    let url = format!("https://hooks.example/{number}");
    WebhookUrl::parse(&url, &OutboundPolicy::default()).expect("a URL")
}

#[on_each_database]
async fn setting_a_webhook_takes_pro_and_clearing_it_does_not(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.new_account("owner@example.com", Plan::Pro);
    let app = {
        let id = account.id.clone();
        test.store.create_account(account).await.expect("stored");
        test.app_of(&id).await
    };
    let set = async |url| {
        test.store
            .change_app(&app, AppChange::from_webhook(url))
            .await
            .expect("judged")
    };
    let stored = async || test.record(&app).await.webhook_url;
    assert!(matches!(
        set(Some(hook(1))).await,
        ChangeAppOutcome::Changed(_)
    ));
    let email = Email::parse("owner@example.com").expect("an address");
    let lowered = test.store.set_plan(&email, Plan::Free).await;
    assert!(lowered.expect("stored"));
    assert_eq!(set(Some(hook(2))).await, ChangeAppOutcome::PlanRequired);
    assert_eq!(stored().await.as_deref(), Some(hook(1).as_str()));
    assert!(matches!(set(None).await, ChangeAppOutcome::Changed(_)));
    assert_eq!(stored().await, None);
}

#[on_each_database]
async fn an_app_that_is_gone_has_no_webhook(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = AppId::from_uuid(Uuid::from_u128(u128::MAX));
    for url in [None, Some(hook(1))] {
        let set = test
            .store
            .change_app(&app, AppChange::from_webhook(url))
            .await;
        assert_eq!(set.expect("judged"), ChangeAppOutcome::NoApp);
    }
}

/// Deletes the app, which must be there.
async fn delete(test: &TestStore, app: &AppId) {
    let deleted = test.store.delete_app(app, START).await;
    assert!(deleted.expect("deleted"));
}

async fn purge(test: &TestStore) {
    while test.store.purge_deleted_apps(3).await.expect("removed") {}
}

#[on_each_database]
async fn a_deleted_app_is_gone_before_its_rows_are(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let app = test.app_of(&account).await;
    test.subscribe_all(&app, 3).await;
    let key = test.new_key(&app, [1; 32]);
    test.create_key(key).await;
    let sends = [
        test.broadcast(&app, START).await,
        test.send_to(&app, 1, START).await,
    ];
    delete(&test, &app).await;

    assert!(test.store.app(&app).await.expect("read").is_none());
    assert!(test.store.apps_of(&account).await.expect("read").is_empty());
    let key = test.store.key_by_hash([1; 32]).await;
    assert!(key.expect("read").is_none());
    assert!(test.try_claim(at(1_000), 10).await.is_none());
    let key = test.new_key(&app, [2; 32]);
    let refused = test.store.create_key(key).await;
    assert_eq!(refused.expect("judged"), CreateKeyOutcome::NoApp);
    for number in [0, 9] {
        let new = test.new_subscription(&app, number);
        let registered = test.store.register_subscription(new).await;
        assert_eq!(registered.expect("judged"), RegisterOutcome::NoApp);
    }
    let send = test.new_send(&app, Audience::Everyone, START);
    assert_eq!(test.accept(send).await, AcceptSendOutcome::NotFound);
    for send in sends {
        let seen = test.store.send_of(&app, &send).await;
        assert!(seen.expect("read").is_none());
    }
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(None))
        .await;
    assert_eq!(set.expect("judged"), ChangeAppOutcome::NoApp);
    assert!(!test.store.delete_app(&app, START).await.expect("judged"));
    assert_ne!(test.app_of(&account).await, app, "it counts no more");
    assert_eq!(test.store.apps_of(&account).await.expect("read").len(), 1);
    purge(&test).await;
}

#[on_each_database]
async fn the_app_of_another_keeps_everything(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for app in [&app, &other] {
        test.subscribe_all(app, 5).await;
        test.broadcast(app, START).await;
    }
    delete(&test, &app).await;
    purge(&test).await;
    assert_eq!(test.deliver_all(START, 10).await.len(), 5);
    let [send] = &test.history(&other).await[..] else {
        panic!("one send")
    };
    assert_eq!(send.counts.sent, 5);
    assert_eq!(test.record(&other).await.active_subscriptions, 5);
}

#[on_each_database]
async fn jobs_of_a_deleted_app_hold_up_nobody_elses(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for app in [&app, &other] {
        test.subscribe(app, 0).await;
    }
    for _ in 0..3 {
        test.broadcast(&app, START).await;
    }
    test.broadcast(&other, at(1)).await;
    delete(&test, &app).await;
    let again = test.next_page(at(1), 10, &[]).await;
    assert!(matches!(again, NextPage::Idle { next_due: Some(now) } if now == at(1)));
    assert_eq!(test.claim(at(1), 10).await.app_id, other);
}

#[on_each_database]
async fn a_page_in_flight_of_a_deleted_app_is_settled_by_nobody(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    test.subscribe(&app, 0).await;
    test.broadcast(&app, START).await;
    let page = test.claim(START, 10).await;
    delete(&test, &app).await;
    for gone in [false, true] {
        if gone {
            purge(&test).await;
        }
        let settled = test.settle(&page, Settlement::default()).await;
        assert_eq!(settled, SettleOutcome::LeaseLost);
    }
    assert!(test.recipients(&page).await.is_empty());
}

#[on_each_database]
async fn an_app_is_renamed_while_it_is_there(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let name = Name::parse("another").expect("a name");
    assert!(test.store.rename_app(&app, &name).await.expect("done"));
    assert_eq!(test.record(&app).await.name, "another");
    assert!(test.store.delete_app(&app, at(1)).await.expect("deleted"));
    assert!(!test.store.rename_app(&app, &name).await.expect("done"));
}

#[on_each_database]
async fn the_last_new_sites_that_subscribed_are_remembered(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let origin = |letter: &str| SiteOrigin::parse(&format!("https://{letter}.example"));
    for (number, letter) in ["a", "b", "a", "c", "d", "b"].into_iter().enumerate() {
        let new = NewSubscription {
            origin: origin(letter),
            ..test.new_subscription(&app, number)
        };
        test.store
            .register_subscription(new)
            .await
            .expect("registered");
    }
    test.subscribe(&app, 9).await;
    let refused = NewSubscription {
        origin: origin("e"),
        max_active: Some(1),
        ..test.new_subscription(&app, 10)
    };
    let refused = test.store.register_subscription(refused).await;
    assert_eq!(refused.expect("judged"), RegisterOutcome::LimitReached);
    let known = ["d", "c", "b"].map(|letter| origin(letter).expect("an origin"));
    assert_eq!(test.record(&app).await.origins, known);
}

#[on_each_database]
async fn new_sites_that_subscribe_at_once_are_all_remembered(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for round in 0..10 {
        let app = test.app().await;
        let sites = ["a", "b", "c"].map(|letter| format!("https://{letter}.example"));
        let registering = sites.iter().enumerate().map(|(number, site)| {
            let new = NewSubscription {
                origin: SiteOrigin::parse(site),
                ..test.new_subscription(&app, number)
            };
            test.store.register_subscription(new)
        });
        for registered in join_all(registering).await {
            registered.expect("registered");
        }
        let origins = test.record(&app).await.origins;
        assert_eq!(origins.len(), sites.len(), "{round}: {origins:?}");
    }
}
