//! Reviews of accounts that a login through GitHub took over: what was made before acts no more until it is kept.

use hato_domain::{AccountId, AppId, KeyEventId, Plan, Schedule, WebhookUrl};
use hato_service::ports::{
    AcceptSendOutcome, AppChange, Audience, ChangeAppOutcome, CreateKeyOutcome, DeletedKey,
    EnableWebhookOutcome, GithubId, NewSend, NewSession, NextOutbox, NextPage, OutboxClaimRequest,
    QueueTestOutcome, ReviewConclusion,
};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{LEASE, START, TestStore, actor, at, new_session};

const KEPT_KEY: [u8; 32] = [1; 32];
const DELETED_KEY: [u8; 32] = [2; 32];
const ADDRESS: &str = "hato@example.com";

fn url() -> WebhookUrl {
    let policy = hato_domain::OutboundPolicy::default();
    WebhookUrl::parse("https://hooks.example/1", &policy).expect("a URL")
}

/// An account that somebody made with a password, and an app of it with two keys, a webhook and a subscriber.
pub async fn reviewed_app(database: TestDatabase) -> (TestStore, AccountId, AppId) {
    let test = TestStore::new(database).await;
    let account = test.new_account(ADDRESS, Plan::Pro);
    let id = account.id.clone();
    assert!(test.store.create_account(account).await.expect("stored"));
    let app = test.app_of(&id).await;
    for hash in [KEPT_KEY, DELETED_KEY] {
        let made = test.store.create_key(test.new_key(&app, hash)).await;
        assert_eq!(made.expect("stored"), CreateKeyOutcome::Created);
    }
    set_webhook(&test, &app).await;
    test.subscribe(&app, 1).await;
    (test, id, app)
}

async fn set_webhook(test: &TestStore, app: &AppId) {
    let set = test
        .store
        .change_app(app, AppChange::from_webhook(Some(url())))
        .await;
    assert!(matches!(set.expect("stored"), ChangeAppOutcome::Changed(_)));
    let kept = test.store.keep_first_secret(app, vec![9]).await;
    kept.expect("stored");
}

/// Whoever has the address logs in through GitHub.
pub async fn begin_review(test: &TestStore, account: &AccountId) {
    let email = test.new_account(ADDRESS, Plan::Free).email;
    let store = &test.store;
    let linked = store.account_of_github_user(GithubId(7), Some(email), None, START);
    assert_eq!(linked.await.expect("done").expect("linked").id, *account);
}

async fn is_known(test: &TestStore, hash: [u8; 32]) -> bool {
    let found = test.store.key_by_hash(hash).await;
    found.expect("read").is_some()
}

async fn next_outbox(test: &TestStore) -> NextOutbox {
    let claim = OutboxClaimRequest {
        now: at(10),
        lease: LEASE,
        include_slow: true,
    };
    test.store.claim_outbox(claim).await.expect("asked")
}

fn is_idle(outbox: &NextOutbox) -> bool {
    matches!(outbox, NextOutbox::Idle { next_due: None })
}

pub async fn conclude(test: &TestStore, app: &AppId, keeps_webhook: bool) -> bool {
    let keys = test.store.keys_of(app).await.expect("read");
    let deleted = keys.into_iter().skip(1).map(|key| DeletedKey {
        id: key.id,
        app_id: app.clone(),
        event_id: KeyEventId::from_uuid(test.uuid()),
        actor: actor(),
        now: at(20),
    });
    let conclusion = ReviewConclusion {
        app: app.clone(),
        deleted_keys: deleted.collect(),
        keeps_webhook,
        old_events: at(5),
        now: at(20),
    };
    let concluded = test.store.conclude_review(conclusion).await;
    concluded.expect("stored")
}

#[on_each_database]
async fn keys_are_unknown_until_they_are_kept(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    assert!(!test.record(&app).await.under_review);
    assert!(
        !conclude(&test, &app, true).await,
        "nothing is under review"
    );
    begin_review(&test, &account).await;
    assert!(test.record(&app).await.under_review);
    for hash in [KEPT_KEY, DELETED_KEY] {
        assert!(!is_known(&test, hash).await);
    }
    let late = test.store.create_key(test.new_key(&app, [3; 32])).await;
    assert_eq!(
        late.expect("judged"),
        CreateKeyOutcome::NoApp,
        "a request that came before"
    );
    assert!(conclude(&test, &app, true).await);
    assert!(!test.record(&app).await.under_review);
    assert!(is_known(&test, KEPT_KEY).await && !is_known(&test, DELETED_KEY).await);
    assert!(!conclude(&test, &app, true).await, "once");
}

#[on_each_database]
async fn other_accounts_and_new_ones_have_nothing_to_review(database: TestDatabase) {
    let (test, account, _) = reviewed_app(database).await;
    let other = test.app().await;
    test.store
        .create_key(test.new_key(&other, [4; 32]))
        .await
        .expect("stored");
    test.subscribe(&other, 1).await;
    test.broadcast(&other, START).await;
    begin_review(&test, &account).await;
    assert!(!test.record(&other).await.under_review);
    assert!(is_known(&test, [4; 32]).await);
    assert_eq!(test.claim(at(10), 10).await.app_id, other);

    let new = test.new_account("new@example.com", Plan::Free);
    let (id, email) = (new.id.clone(), new.email.clone());
    let store = &test.store;
    let made = store.account_of_github_user(GithubId(8), Some(email), Some(new), START);
    assert_eq!(made.await.expect("done").expect("made").id, id);
    let app = test.app_of(&id).await;
    assert!(!test.record(&app).await.under_review);
}

#[on_each_database]
async fn a_session_tells_that_a_review_is_due(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    begin_review(&test, &account).await;
    let session = NewSession {
        password_hash: None,
        ..new_session([5; 32], account, at(100), None)
    };
    let made = test.store.create_session(session).await;
    assert!(made.expect("made"));
    for expected in [true, false] {
        let session = test.store.session([5; 32], START).await;
        let session = session.expect("read").expect("a session");
        assert_eq!(session.under_review, expected);
        conclude(&test, &app, true).await;
    }
}

#[on_each_database]
async fn what_is_queued_waits_and_goes_on(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let send = test.broadcast(&app, START).await;
    begin_review(&test, &account).await;
    let other = test.app().await;
    for excluded in [&[][..], &[other]] {
        let next = test.next_page(at(10), 10, excluded).await;
        assert!(matches!(next, NextPage::Idle { next_due: None }));
    }
    let held = test.store.held_sends(&app, 10).await.expect("listed");
    assert_eq!(held.iter().map(|it| &it.id).collect::<Vec<_>>(), [&send]);
    let late = test.new_send(&app, Audience::Everyone, at(10));
    assert_eq!(test.accept(late).await, AcceptSendOutcome::NotFound);
    assert!(conclude(&test, &app, false).await);
    assert!(
        test.store
            .held_send_ids(&app)
            .await
            .expect("read")
            .is_empty()
    );
    assert_eq!(test.deliver_all(at(20), 10).await.len(), 1);
}

#[on_each_database]
async fn what_is_held_is_listed_the_newest_first(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let other = test.app_of(&account).await;
    test.subscribe(&other, 1).await;
    test.broadcast(&other, START).await;
    let first = test.broadcast(&app, START).await;
    let scheduled = NewSend {
        schedule: Schedule::parse(Some(at(60).0), None, None).expect("a schedule"),
        ..test.new_send(&app, Audience::Everyone, at(1))
    };
    let second = scheduled.id.clone();
    test.accept(scheduled).await;
    let third = test.broadcast(&app, at(2)).await;
    begin_review(&test, &account).await;
    for (limit, expected) in [
        (3, vec![&third, &second, &first]),
        (2, vec![&third, &second]),
    ] {
        let held = test.store.held_sends(&app, limit).await.expect("listed");
        assert_eq!(held.iter().map(|it| &it.id).collect::<Vec<_>>(), expected);
    }
}

#[on_each_database]
async fn what_a_page_in_flight_would_try_again_waits_too(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let send = test.broadcast(&app, START).await;
    let page = test.claim(START, 10).await;
    begin_review(&test, &account).await;
    let settlement = test.retry_of_all(&page, at(5)).await;
    test.settle(&page, settlement).await;
    assert!(test.try_claim(at(10), 10).await.is_none());
    let held = test.store.held_send_ids(&app).await.expect("read");
    assert_eq!(held, std::slice::from_ref(&send));

    let cancelled = test.store.cancel_send(&app, &send, at(10)).await;
    assert_eq!(cancelled.expect("cancelled"), Some(1));
    assert!(
        test.store
            .held_send_ids(&app)
            .await
            .expect("read")
            .is_empty()
    );
    assert!(conclude(&test, &app, true).await);
    assert!(test.try_claim(at(20), 10).await.is_none());
}

#[on_each_database]
async fn a_page_in_flight_whose_process_died_waits_too(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    test.broadcast(&app, START).await;
    test.claim(START, 10).await;
    begin_review(&test, &account).await;
    let after = at(2 * i64::try_from(LEASE.as_millis()).expect("short"));
    assert!(test.try_claim(after, 10).await.is_none());
    assert!(conclude(&test, &app, false).await);
    assert_eq!(test.deliver_all(after, 10).await.len(), 1);
}

#[on_each_database]
async fn events_are_written_and_wait(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let queued = test.store.queue_test_event(&app, START).await;
    assert_eq!(queued.expect("stored"), QueueTestOutcome::Queued);
    let NextOutbox::Claimed(outbox) = next_outbox(&test).await else {
        panic!("an outbox is due")
    };
    begin_review(&test, &account).await;
    let due = test.store.due_events(&outbox, &[], at(10), 10).await;
    assert!(due.expect("read").is_empty(), "the lease was lost");
    assert!(!test.store.discard_events(&outbox, 10).await.expect("asked"));
    test.store
        .release_outbox(&outbox, START)
        .await
        .expect("nothing");
    assert!(is_idle(&next_outbox(&test).await));
    let queued = test.store.queue_test_event(&app, at(5)).await;
    assert_eq!(queued.expect("stored"), QueueTestOutcome::Queued);
    assert!(is_idle(&next_outbox(&test).await), "a new event");
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(Some(url())))
        .await;
    assert_eq!(set.expect("judged"), ChangeAppOutcome::NoApp, "too late");

    assert!(conclude(&test, &app, true).await);
    let claim = OutboxClaimRequest {
        now: at(20),
        lease: LEASE,
        include_slow: true,
    };
    let NextOutbox::Claimed(outbox) = test.store.claim_outbox(claim).await.expect("asked") else {
        panic!("an outbox is due")
    };
    let due = test.store.due_events(&outbox, &[], at(20), 10).await;
    let due = due.expect("read").into_iter();
    let times: Vec<_> = due.map(|event| (event.created_at, event.resend)).collect();
    assert_eq!(times, [(START, Some(at(20))), (at(5), None)]);
    let dropped = test.store.drop_old_events(&outbox, at(5), 10).await;
    assert_eq!(dropped.expect("asked"), 0, "what is too old is posted once");
}

#[on_each_database]
async fn events_wait_for_longer_than_others(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let queued = test.store.queue_test_event(&app, START).await;
    assert_eq!(queued.expect("judged"), QueueTestOutcome::Queued);
    begin_review(&test, &account).await;
    let end = async |under_review| {
        let ended = test.store.end_old_events(at(1_000), under_review, 10).await;
        ended.expect("ended")
    };
    assert_eq!(end(START).await, 0);
    assert_eq!(end(at(1)).await, 1);
}

#[on_each_database]
async fn a_webhook_that_is_not_kept_goes_with_its_secrets(database: TestDatabase) {
    let (test, account, app) = reviewed_app(database).await;
    let rotated = test.store.rotate_secret(&app, vec![8], at(1_000)).await;
    rotated.expect("stored");
    begin_review(&test, &account).await;
    assert!(conclude(&test, &app, false).await);
    assert!(
        test.store
            .webhook(&app, at(20))
            .await
            .expect("read")
            .is_none()
    );
    let enabled = test.store.enable_webhook(&app).await;
    assert_eq!(enabled.expect("judged"), EnableWebhookOutcome::NoWebhook);
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(Some(url())))
        .await;
    assert!(matches!(set.expect("stored"), ChangeAppOutcome::Changed(_)));
    let webhook = test.store.webhook(&app, at(20)).await.expect("read");
    let secrets = webhook.expect("a webhook").secrets;
    assert_eq!((secrets.current, secrets.previous), (None, None));
}

#[on_each_database]
async fn what_proves_users_goes_unless_a_key_is_kept(database: TestDatabase) {
    let (test, account, with_keys) = reviewed_app(database).await;
    let without_keys = test.app_of(&account).await;
    for app in [&with_keys, &without_keys] {
        let first = test.store.keep_first_identity_secret(app, vec![7]).await;
        first.expect("stored");
        let rotated = test.store.rotate_identity_secret(app, vec![8], at(1_000));
        rotated.await.expect("stored");
    }
    begin_review(&test, &account).await;
    for (app, is_kept) in [(&with_keys, true), (&without_keys, false)] {
        assert!(conclude(&test, app, true).await);
        let secrets = test.store.identity_secrets(app, at(20)).await;
        let secrets = secrets.expect("read");
        assert_eq!(secrets.current.is_some(), is_kept);
        assert_eq!(secrets.previous.is_some(), is_kept);
    }
}
