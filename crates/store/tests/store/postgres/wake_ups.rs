//! Processes that wake each other.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::AppId;
use hato_service::Notifier;
use hato_service::ports::Store;
use hato_testkit::TestDatabase;
use tokio::time::timeout;

/// Far longer than a wake-up takes, and than anything else that would end the wait.
const WAKE_UP_TIMEOUT: Duration = Duration::from_secs(30);

/// A process on the database, from the moment on at which it hears the others.
async fn process(database: &TestDatabase) -> (Arc<dyn Store>, Notifier) {
    let store = hato_store::open(database.url()).await.expect("opened");
    let notifier = Notifier::default();
    let (relaying, heard) = (Arc::clone(&store), notifier.clone());
    tokio::spawn(async move { relaying.relay_wake_ups(&heard).await });
    // It wakes itself when it begins to hear, for what was told before.
    let pages = timeout(WAKE_UP_TIMEOUT, notifier.notified()).await;
    let events = timeout(WAKE_UP_TIMEOUT, notifier.event_notified()).await;
    assert!(pages.is_ok() && events.is_ok(), "it hears itself");
    (store, notifier)
}

#[tokio::test]
async fn a_process_wakes_the_others() {
    let database = TestDatabase::postgres().await;
    let (_one, telling) = process(&database).await;
    let (other, hearing) = process(&database).await;
    telling.notify();
    let woken = timeout(WAKE_UP_TIMEOUT, hearing.notified()).await;
    woken.expect("of a page");
    telling.notify_event(&AppId::trusted("app_1".into()));
    let woken = timeout(WAKE_UP_TIMEOUT, hearing.event_notified()).await;
    woken.expect("of an event");
    other.close().await;
}

#[tokio::test]
async fn a_process_hears_again_after_its_connection_was_cut() {
    let database = TestDatabase::postgres().await;
    let (_store, notifier) = process(&database).await;
    database.end_sessions();
    // As when it began: whatever was told meanwhile.
    let woken = timeout(WAKE_UP_TIMEOUT, notifier.notified()).await;
    woken.expect("it hears itself again");
}
