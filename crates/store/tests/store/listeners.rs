//! Listeners, and what is written for them.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use hato_domain::{AppId, Plan};
use hato_service::ports::{Audience, ListenerRecord, MAX_ACCOUNT_LISTENERS, MAX_LISTENERS};
use hato_testkit::{TestDatabase, on_each_database};

use crate::scheduled_sends::wait;
use crate::test_store::{START, TestStore, at};
use crate::webhooks::{app_with_webhook, queue_event};

const MINUTE: i64 = 60_000;

/// A listener from the start until the end of the first minute.
async fn listen(test: &TestStore, app: &AppId) -> Option<ListenerRecord> {
    let added = test.store.add_listener(app, START, at(MINUTE));
    added.await.expect("stored")
}

/// The numbers and ids of what the listener has not heard yet.
async fn unread(test: &TestStore, app: &AppId, after: i64) -> Vec<(i64, String)> {
    let events = test
        .store
        .listener_events(app, after, 7)
        .await
        .expect("read");
    let event = |it: &hato_service::ports::WebhookEvent| (it.number, it.id.to_string());
    events.iter().map(event).collect()
}

#[on_each_database]
async fn an_app_has_few_listeners_and_others_have_theirs(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    let tries = join_all((0..8).map(|_| listen(&test, &app))).await;
    let added: Vec<_> = tries.into_iter().flatten().collect();
    assert_eq!(i64::try_from(added.len()), Ok(MAX_LISTENERS));
    assert!(listen(&test, &other).await.is_some());
    test.store.remove_listener(added[0]).await.expect("removed");
    assert!(listen(&test, &app).await.is_some());
    assert_eq!(listen(&test, &app).await, None);

    // Who was not renewed is a listener no more, and has left the place.
    let renew = async |listener, now| {
        let renewed = test.store.renew_listener(listener, now, at(9 * MINUTE));
        renewed.await.expect("stored")
    };
    assert!(renew(added[1], at(MINUTE - 1)).await);
    assert!(!renew(added[2], at(MINUTE)).await);
    let later = test.store.add_listener(&app, at(MINUTE), at(2 * MINUTE));
    assert!(later.await.expect("stored").is_some());
}

#[on_each_database(flavor = "multi_thread")]
async fn an_account_has_no_more_listeners_for_asking_with_all_its_apps_at_once(
    database: TestDatabase,
) {
    let test = TestStore::new(database).await;
    let account = test.account(Plan::Pro).await;
    let mut apps = Vec::new();
    for _ in 0..12 {
        apps.push(test.app_of(&account).await);
    }
    let tries = (0..MAX_LISTENERS).flat_map(|_| &apps);
    let tries = join_all(tries.map(|app| listen(&test, app))).await;
    let added = tries.into_iter().flatten().count();
    assert_eq!(i64::try_from(added), Ok(MAX_ACCOUNT_LISTENERS));
}

#[on_each_database]
async fn only_what_follows_is_heard_and_only_while_somebody_listens(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = app_with_webhook(&test).await;
    queue_event(&test, &app).await;
    let first = listen(&test, &app).await.expect("a place");
    queue_event(&test, &app).await;
    let second = listen(&test, &app).await.expect("a place");
    queue_event(&test, &app).await;
    let all = unread(&test, &app, first.after).await;
    let rest = unread(&test, &app, second.after).await;
    assert_eq!((all.len(), rest.len()), (2, 1));
    assert_eq!(all[1], rest[0]);
    for listener in [first, second] {
        test.store.remove_listener(listener).await.expect("removed");
    }
    queue_event(&test, &app).await;
    assert_eq!(unread(&test, &app, first.after).await, all);

    let purge = async |before, now| {
        let purged = test.store.purge_listener_events(before, now, 500);
        assert!(!purged.await.expect("removed"), "no more are left");
    };
    purge(START, at(MINUTE)).await;
    assert_eq!(unread(&test, &app, 0).await.len(), 2);
    purge(START.plus(Duration::from_millis(1)), at(MINUTE)).await;
    assert_eq!(unread(&test, &app, 0).await, []);
}

/// Transactions that run at the same time end in another order than they have begun: who reads meanwhile misses none of them.
#[on_each_database]
async fn nothing_is_missed_of_what_is_written_at_the_same_time(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let listener = listen(&test, &app).await.expect("a place");
    let sends = join_all((0..64).map(|_| wait(&test, &app, Audience::Everyone))).await;
    let cancel = |send| test.store.cancel_send(&app, send, START);
    let writing = join_all(sends.iter().map(cancel));
    let reading = async {
        let (mut after, mut seen) = (listener.after, HashSet::new());
        while seen.len() < 64 {
            let events = unread(&test, &app, after).await;
            after = events.last().map_or(after, |(number, _)| *number);
            seen.extend(events.into_iter().map(|(_, id)| id));
        }
    };
    let both = async { tokio::join!(writing, reading) };
    let done = tokio::time::timeout(Duration::from_mins(1), both).await;
    done.expect("all are read");
}
