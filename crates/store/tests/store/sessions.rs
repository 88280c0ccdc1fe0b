//! Sessions: they live until their end, which renewing moves and nothing brings back.

use hato_domain::{AccountId, Plan};
use hato_testkit::{TestDatabase, on_each_database};
use uuid::Uuid;

use crate::test_store::{START, TestStore, at, new_session};

const TOKEN: [u8; 32] = [9; 32];

#[on_each_database]
async fn a_session_lives_until_its_end(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    test.store
        .create_session(new_session(TOKEN, account.clone(), at(100), None))
        .await
        .expect("saved");
    let session = test
        .store
        .session(TOKEN, at(99))
        .await
        .expect("read")
        .expect("alive");
    assert_eq!((session.account.id, session.expires_at), (account, at(100)));
    assert!(
        test.store
            .session(TOKEN, at(100))
            .await
            .expect("read")
            .is_none()
    );
    assert!(
        test.store
            .session([8; 32], START)
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn renewing_moves_the_end(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let made = test
        .store
        .create_session(new_session(TOKEN, account, at(100), None));
    made.await.expect("made");
    test.store
        .renew_session(TOKEN, at(200))
        .await
        .expect("renewed");
    let session = test.store.session(TOKEN, at(150)).await;
    let session = session.expect("read").expect("alive");
    assert_eq!(session.expires_at, at(200));
}

#[on_each_database]
async fn renewing_does_not_bring_an_ended_session_back(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    let made = test
        .store
        .create_session(new_session(TOKEN, account, at(100), None));
    made.await.expect("made");
    test.store.end_session(TOKEN).await.expect("ended");
    test.store
        .renew_session(TOKEN, at(200))
        .await
        .expect("nothing to renew");
    let session = test.store.session(TOKEN, START).await;
    assert!(session.expect("read").is_none());
}

#[on_each_database]
async fn an_ended_session_is_gone_and_ending_it_again_is_fine(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Free).await;
    test.store
        .create_session(new_session(TOKEN, account, at(100), None))
        .await
        .expect("saved");
    for _ in 0..2 {
        test.store.end_session(TOKEN).await.expect("ended");
        assert!(
            test.store
                .session(TOKEN, START)
                .await
                .expect("read")
                .is_none()
        );
    }
}

#[on_each_database]
async fn a_session_of_nobody_is_an_error(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let nobody = AccountId::from_uuid(Uuid::from_u128(u128::MAX));
    assert!(
        test.store
            .create_session(new_session(TOKEN, nobody, at(100), None))
            .await
            .is_err()
    );
    assert!(
        test.store
            .session(TOKEN, START)
            .await
            .expect("read")
            .is_none()
    );
}

#[on_each_database]
async fn an_accounts_sessions_are_listed_by_their_last_use_and_ended_together(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let (account, other) = (
        test.account(Plan::Free).await,
        test.account(Plan::Free).await,
    );
    for (token, account, end) in [
        ([1; 32], &account, 100),
        ([2; 32], &account, 300),
        ([3; 32], &account, 10),
        ([4; 32], &other, 200),
    ] {
        let browser = Some(format!("browser {}", token[0]));
        let made = test
            .store
            .create_session(new_session(token, account.clone(), at(end), browser));
        made.await.expect("made");
    }
    let list = async |account| {
        let listed = test.store.sessions_of(account, at(50), 10).await;
        let listed = listed.expect("listed").into_iter();
        listed
            .filter_map(|session| session.browser)
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&account).await, ["browser 2", "browser 1"]);
    test.store.end_sessions(&account).await.expect("ended");
    assert_eq!(list(&account).await, Vec::<String>::new());
    assert_eq!(list(&other).await, ["browser 4"]);
}
