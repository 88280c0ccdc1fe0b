//! Logins through GitHub, and whose accounts they lead to.

use std::sync::Arc;

use futures_util::future::join_all;
use hato_domain::{Email, Plan};
use hato_service::ports::{AccountRecord, GithubId, NewSession, PendingLogin};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, at, new_session};

const STATE: [u8; 32] = [1; 32];
const BROWSER: [u8; 32] = [2; 32];
const HATO: GithubId = GithubId(7);

fn login(state_hash: [u8; 32], expires_at: i64) -> PendingLogin {
    PendingLogin {
        state_hash,
        browser_hash: BROWSER,
        pkce_verifier: "verifier".to_owned(),
        expires_at: at(expires_at),
    }
}

async fn begin(test: &TestStore, state_hash: [u8; 32], expires_at: i64, now: i64) {
    let login = login(state_hash, expires_at);
    let begun = test.store.begin_github_login(login, at(now)).await;
    begun.expect("kept");
}

async fn take(test: &TestStore, state: [u8; 32], browser: [u8; 32], now: i64) -> Option<String> {
    let taken = test.store.take_github_login(state, browser, at(now)).await;
    taken.expect("read")
}

#[on_each_database]
async fn a_login_is_taken_once_in_time_and_by_its_browser(database: TestDatabase) {
    let test = TestStore::new(database).await;
    begin(&test, STATE, 100, 0).await;
    assert_eq!(take(&test, [9; 32], BROWSER, 1).await, None);
    assert_eq!(take(&test, STATE, [9; 32], 1).await, None);
    assert_eq!(take(&test, STATE, BROWSER, 100).await, None, "too late");
    assert_eq!(
        take(&test, STATE, BROWSER, 99).await.as_deref(),
        Some("verifier")
    );
    assert_eq!(take(&test, STATE, BROWSER, 99).await, None, "taken");
}

#[on_each_database]
async fn expired_logins_are_forgotten(database: TestDatabase) {
    let test = TestStore::new(database).await;
    begin(&test, STATE, 100, 0).await;
    begin(&test, [3; 32], 300, 99).await;
    assert!(take(&test, STATE, BROWSER, 50).await.is_some());
    begin(&test, STATE, 100, 0).await;
    begin(&test, [4; 32], 300, 100).await;
    assert_eq!(take(&test, STATE, BROWSER, 50).await, None);
    assert!(take(&test, [3; 32], BROWSER, 150).await.is_some());
}

/// Logs in with this address; an account may be made when `open`.
async fn log_in(
    test: &TestStore,
    user: GithubId,
    address: &str,
    open: bool,
) -> Option<AccountRecord> {
    let email = Email::parse(address).expect("an address");
    let otherwise = open.then(|| test.new_account(address, Plan::Free));
    let found = test
        .store
        .account_of_github_user(user, Some(email), otherwise, START);
    found.await.expect("done")
}

#[on_each_database]
async fn a_new_account_is_its_persons(database: TestDatabase) {
    let test = TestStore::new(database).await;
    assert!(
        log_in(&test, HATO, "hato@example.com", false)
            .await
            .is_none()
    );
    let made = log_in(&test, HATO, "hato@example.com", true)
        .await
        .expect("made");
    let again = log_in(&test, HATO, "other@example.com", false).await;
    assert_eq!(again.expect("found").id, made.id);
    let unproven = test
        .store
        .account_of_github_user(HATO, None, None, START)
        .await;
    assert_eq!(unproven.expect("done").expect("found").id, made.id);
    let nobody = test
        .store
        .account_of_github_user(GithubId(8), None, None, START)
        .await;
    assert!(nobody.expect("done").is_none());
}

#[on_each_database]
async fn linking_drops_the_password_and_the_sessions(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.new_account("Hato@example.com", Plan::Pro);
    let id = account.id.clone();
    test.store.create_account(account).await.expect("made");
    let other = test.account(Plan::Free).await;
    for (token, account) in [([5; 32], id.clone()), ([6; 32], other)] {
        let made = test
            .store
            .create_session(new_session(token, account, at(100), None));
        made.await.expect("made");
    }
    let linked = log_in(&test, HATO, "hato@EXAMPLE.com", true)
        .await
        .expect("linked");
    assert_eq!(
        (linked.id, linked.plan, linked.password_hash),
        (id.clone(), Plan::Pro, None)
    );
    let session = |token| test.store.session(token, START);
    assert!(session([5; 32]).await.expect("read").is_none());
    assert!(session([6; 32]).await.expect("read").is_some(), "another's");

    let with_password = new_session([7; 32], id.clone(), at(100), None);
    let late = test.store.create_session(with_password.clone()).await;
    assert!(!late.expect("judged"), "a log-in that was under way");
    let without_password = NewSession {
        password_hash: None,
        ..with_password
    };
    let made = test.store.create_session(without_password).await;
    assert!(made.expect("made"));
    let known = log_in(&test, HATO, "hato@example.com", true)
        .await
        .expect("known");
    assert_eq!(known.id, id);
    assert!(
        session([7; 32]).await.expect("read").is_some(),
        "linked before"
    );
}

#[on_each_database]
async fn a_person_who_arrives_many_times_at_once_has_one_account(database: TestDatabase) {
    let test = Arc::new(TestStore::new(database).await);
    let arrivals = (0..16).map(|_| {
        let test = Arc::clone(&test);
        async move {
            log_in(&test, HATO, "hato@example.com", true)
                .await
                .expect("there")
                .id
        }
    });
    let ids = join_all(arrivals).await;
    assert!(ids.iter().all(|id| *id == ids[0]));
}

#[on_each_database(flavor = "multi_thread")]
async fn who_arrives_many_times_at_once_is_logged_in_each_time(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let arrivals = (0..16).map(|number| {
        let test = &test;
        async move {
            let account = log_in(test, HATO, "hato@example.com", true).await;
            let id = account.expect("there").id;
            let session = NewSession {
                password_hash: None,
                ..new_session([number; 32], id, at(100), None)
            };
            let made = test.store.create_session(session).await;
            assert!(made.expect("made"));
        }
    });
    join_all(arrivals).await;
    for number in 0..16 {
        let session = test.store.session([number; 32], START).await;
        assert!(session.expect("read").is_some(), "session {number}");
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn a_person_who_arrives_with_two_addresses_at_once_has_one_account(database: TestDatabase) {
    let test = TestStore::new(database).await;
    for number in 0..10 {
        let arrive = async |which| {
            let address = format!("{number}.{which}@example.com");
            let account = log_in(&test, GithubId(100 + number), &address, true).await;
            account.expect("there").id
        };
        let (one, other) = futures_util::join!(arrive(0), arrive(1));
        assert_eq!(one, other);
    }
}
