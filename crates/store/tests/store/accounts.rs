//! Accounts: found whatever the case of their address, counted by month, and deleted with all that they have.

use hato_domain::{Email, Plan};
use hato_service::ports::CreateAppOutcome;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, new_session};

#[on_each_database]
async fn an_account_is_found_whatever_the_case_of_its_address(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.new_account("Hato@Example.com", Plan::Pro);
    let id = account.id.clone();
    assert!(test.store.create_account(account).await.expect("stored"));
    let asked = Email::parse("hATO@example.COM").expect("an address");
    let found = test
        .store
        .account_by_email(&asked)
        .await
        .expect("read")
        .expect("the account");
    assert_eq!((found.id, found.email.as_str()), (id, "Hato@Example.com"));
    assert_eq!((found.plan, found.created_at), (Plan::Pro, START));
    assert_eq!(found.password_hash.as_deref(), Some("$argon2id$"));
}

#[on_each_database]
async fn an_address_is_taken_once_whatever_its_case(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let make = |email| {
        test.store
            .create_account(test.new_account(email, Plan::Free))
    };
    assert!(make("a@example.com").await.expect("stored"));
    assert!(!make("A@EXAMPLE.com").await.expect("refused"));
    assert!(make("b@example.com").await.expect("stored"));
}

#[on_each_database]
async fn an_unknown_address_is_no_account(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let nobody = Email::parse("nobody@example.com").expect("an address");
    assert!(
        test.store
            .account_by_email(&nobody)
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn a_deleted_account_leaves_nothing_and_its_address_is_free(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.new_account("a@example.com", Plan::Pro);
    let id = account.id.clone();
    assert!(test.store.create_account(account).await.expect("stored"));
    let app = test.app_of(&id).await;
    test.subscribe(&app, 1).await;
    test.broadcast(&app, START).await;
    let session = test
        .store
        .create_session(new_session([1; 32], id.clone(), at(100), None));
    session.await.expect("made");
    let delete = async || test.store.delete_account(&id, at(1)).await.expect("done");
    assert!(delete().await);
    assert!(!delete().await);

    assert!(test.store.app(&app).await.expect("read").is_none());
    let session = test.store.session([1; 32], START).await.expect("read");
    assert!(session.is_none());
    assert!(test.try_claim(at(1), 10).await.is_none());
    let made = test.store.create_app(test.new_app(&id)).await;
    assert_eq!(made.expect("refused"), CreateAppOutcome::LimitReached);
    let again = test.new_account("A@example.com", Plan::Free);
    assert!(test.store.create_account(again).await.expect("stored"));

    while test.store.purge_deleted_apps(1).await.expect("purged") {}
    let month = START.month();
    let left = test.store.accounts(month, None, 10).await.expect("listed");
    let left: Vec<_> = left.into_iter().map(|account| account.email).collect();
    assert_eq!(left, ["A@example.com"]);
    assert!(!delete().await);
}

#[on_each_database]
async fn the_month_is_counted_for_the_account_and_by_app(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Pro).await;
    let (app, quiet) = (test.app_of(&account).await, test.app_of(&account).await);
    test.subscribe_all(&app, 3).await;
    test.subscribe(&quiet, 1).await;
    test.broadcast(&app, START).await;
    test.deliver_all(START, 100).await;
    test.broadcast(&quiet, START).await;
    let month = START.month();
    let used = test
        .store
        .monthly_usage(&account, month)
        .await
        .expect("read");
    assert_eq!(used.recipients, 4);
    let sent = |app| {
        let counted = used.by_app.iter().find(|(id, _)| id == app);
        counted.map_or(0, |(_, sent)| *sent)
    };
    assert_eq!((sent(&app), sent(&quiet)), (3, 0));
    let next = test
        .store
        .monthly_usage(&account, month.end().month())
        .await;
    let next = next.expect("read");
    assert_eq!((next.recipients, next.by_app.len()), (0, 0));
}
