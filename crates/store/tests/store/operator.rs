//! What operators do with accounts: list them, and set a plan or a password.

use hato_domain::{Email, Plan};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, new_session};

fn email(text: &str) -> Email {
    Email::parse(text).expect("an address")
}

async fn set_password(test: &TestStore, email: &Email) -> bool {
    let set = test.store.set_password(email, "new".to_owned()).await;
    set.expect("done")
}

#[on_each_database]
async fn a_plan_and_a_password_are_set_for_one_account(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for address in ["Hato@example.com", "other@example.com"] {
        let account = test.new_account(address, Plan::Free);
        test.store.create_account(account).await.expect("made");
    }
    for (address, known) in [("hato@EXAMPLE.com", true), ("x@example.com", false)] {
        let address = email(address);
        let set = test.store.set_plan(&address, Plan::Pro).await;
        assert_eq!(set.expect("done"), known);
        assert_eq!(set_password(&test, &address).await, known);
    }

    for (address, plan, hash) in [
        ("hato@example.com", Plan::Pro, "new"),
        ("other@example.com", Plan::Free, "$argon2id$"),
    ] {
        let account = test.store.account_by_email(&email(address)).await;
        let account = account.expect("read").expect("there");
        assert_eq!(
            (account.plan, account.password_hash.as_deref()),
            (plan, Some(hash))
        );
    }
}

#[on_each_database]
async fn a_new_password_ends_the_accounts_sessions(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for (token, address) in [([1; 32], "a@example.com"), ([2; 32], "b@example.com")] {
        let account = test.new_account(address, Plan::Free);
        let id = account.id.clone();
        test.store.create_account(account).await.expect("made");
        let made = test
            .store
            .create_session(new_session(token, id, at(100), None));
        made.await.expect("made");
    }
    assert!(set_password(&test, &email("a@example.com")).await);
    assert!(
        test.store
            .session([1; 32], START)
            .await
            .expect("read")
            .is_none()
    );
    assert!(
        test.store
            .session([2; 32], START)
            .await
            .expect("read")
            .is_some()
    );
}

#[on_each_database]
async fn accounts_are_listed_page_by_page(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let mut made = Vec::new();
    for number in 0..5 {
        let account = test.new_account(&format!("{number}@example.com"), Plan::Free);
        made.push(account.id.clone());
        test.store.create_account(account).await.expect("made");
    }
    made.sort();
    let mut listed = Vec::new();
    loop {
        let after = listed.last().cloned();
        let page = test.store.accounts(START.month(), after, 2).await;
        let page = page.expect("read");
        assert!(page.len() <= 2);
        if page.is_empty() {
            break;
        }
        listed.extend(page.into_iter().map(|account| account.id));
    }
    assert_eq!(listed, made);
}
