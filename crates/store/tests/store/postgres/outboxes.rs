//! Outboxes of webhooks that several processes fill and empty at the same time.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, OutboundPolicy, Plan, WebhookUrl};
use hato_service::ports::{
    AppChange, Attempt, Disposition, FailingRule, NextOutbox, OutboxClaimRequest, OutboxLease,
    QueueTestOutcome, RecordAttemptOutcome, Store, WebhookEvent, WebhookResponse,
};
use hato_testkit::TestDatabase;

use super::assert_no_deadlocks;
use crate::test_store::{LEASE, START, TestStore};

const URL: &str = "https://hooks.example/1";
const ROUNDS: usize = 200;
const FAILING: FailingRule = FailingRule {
    limit: LEASE,
    quiet_time: LEASE,
};

async fn app(test: &TestStore) -> AppId {
    let app = test.app().await;
    let url = WebhookUrl::parse(URL, &OutboundPolicy::default());
    let set = test
        .store
        .change_app(&app, AppChange::from_webhook(Some(url.expect("a URL"))))
        .await;
    set.expect("stored");
    app
}

/// An app whose outbox is due.
pub async fn app_with_event(test: &TestStore) -> AppId {
    let app = app(test).await;
    let queued = test.store.queue_test_event(&app, START).await;
    assert_eq!(queued.expect("judged"), QueueTestOutcome::Queued);
    app
}

async fn claim(store: &Arc<dyn Store>) -> Option<OutboxLease> {
    let claim = OutboxClaimRequest {
        now: START,
        lease: LEASE,
        include_slow: true,
    };
    match store.claim_outbox(claim).await.expect("asked") {
        NextOutbox::Claimed(outbox) => Some(outbox),
        NextOutbox::Idle { .. } => None,
    }
}

fn arrived(event: &WebhookEvent) -> Attempt {
    Attempt {
        event: event.number,
        earlier: event.attempts + event.resends,
        resend: None,
        url: URL.into(),
        signature: "v1,x".into(),
        response: WebhookResponse::Received {
            status: 200,
            text: String::new(),
        },
        started_at: START,
        duration: Duration::ZERO,
        is_slow: false,
        disposition: Disposition::Arrived,
    }
}

/// Records that everything has arrived.
async fn empty(store: &Arc<dyn Store>, outbox: &OutboxLease) {
    let due = store.due_events(outbox, &[], START, 100).await;
    for event in due.expect("read") {
        let recorded = store.record_attempt(outbox, arrived(&event), FAILING, START);
        let recorded = recorded.await;
        assert_eq!(recorded.expect("stored"), RecordAttemptOutcome::Recorded);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_comes_while_the_outbox_is_given_back_makes_it_due() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = app_with_event(&test).await;
    let other = hato_store::open(test.database.url()).await.expect("opened");
    for round in 0..ROUNDS {
        let outbox = claim(&test.store).await;
        let outbox = outbox.unwrap_or_else(|| panic!("not due in round {round}"));
        empty(&test.store, &outbox).await;
        let (released, queued) = tokio::join!(
            test.store.release_outbox(&outbox, START),
            other.queue_test_event(&app, START)
        );
        released.expect("released");
        assert_eq!(queued.expect("judged"), QueueTestOutcome::Queued);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_deleted_while_its_events_are_recorded() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let other = hato_store::open(test.database.url()).await.expect("opened");
    for _ in 0..10 {
        let app = app(&test).await;
        for _ in 0..10 {
            let queued = other.queue_test_event(&app, START).await;
            assert_eq!(queued.expect("judged"), QueueTestOutcome::Queued);
        }
        let outbox = claim(&test.store).await.expect("it is due");
        let due = test.store.due_events(&outbox, &[], START, 100).await;
        let recording = due.expect("read").into_iter().map(|event| {
            test.store
                .record_attempt(&outbox, arrived(&event), FAILING, START)
        });
        let (recorded, deleted) = tokio::join!(join_all(recording), other.delete_app(&app, START));
        assert!(deleted.expect("deleted"));
        for outcome in recorded {
            let outcome = outcome.expect("judged");
            assert!(matches!(
                outcome,
                RecordAttemptOutcome::Recorded | RecordAttemptOutcome::LeaseLost
            ));
        }
    }
    assert_no_deadlocks(&test, &[other]).await;
}

/// Whoever changes an app's webhook locks the app before.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_deleted_while_its_webhooks_are_set() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let other = hato_store::open(test.database.url()).await.expect("opened");
    for _ in 0..20 {
        let account = test.account(Plan::Pro).await;
        let mut apps = Vec::new();
        for _ in 0..8 {
            apps.push(test.app_of(&account).await);
        }
        let setting = apps.iter().map(async |app| {
            for url in ["https://hooks.example/1", "https://hooks.example/2"] {
                let url = WebhookUrl::parse(url, &OutboundPolicy::default());
                let change = AppChange::from_webhook(Some(url.expect("a URL")));
                test.store.change_app(app, change).await.expect("judged");
            }
        });
        let deleting = other.delete_account(&account, START);
        let (_, deleted) = tokio::join!(join_all(setting), deleting);
        assert!(deleted.expect("deleted"));
    }
    assert_no_deadlocks(&test, &[other]).await;
    test.database
        .execute("DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM webhooks); END $$");
}
