//! What is too old goes, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::{Janitor, Shutdown};
use hato_domain::{Engagement, PageRequest, UnixMillis};
use hato_service::hour_of;
use hato_service::ports::{Clock, EngagementReport, RecipientId, SubscriptionFilter};
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::TestEngine;
use crate::test_log;

const DAY: Duration = Duration::from_hours(24);

fn janitor(test: &TestEngine) -> Janitor {
    let clock: Arc<dyn Clock> = Arc::clone(&test.clock) as _;
    Janitor::new(Arc::clone(&test.store), clock, &test.settings)
}

async fn sends(test: &TestEngine) -> usize {
    let page = PageRequest::parse(None, None, None).expect("the default page");
    let sends = test.store.sends_of(&test.app.id, &page, None).await;
    sends.expect("read").len()
}

#[on_each_database]
async fn sends_and_their_dead_letters_are_kept_for_as_long_as_was_asked(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.retention_days = 3;
    test.service
        .respond_by_default(ScriptedResponse::Status(413));
    test.subscribe(5).await;
    test.deliver().await;
    for (turn, kept) in [(DAY * 3, 1), (Duration::from_millis(1), 0)] {
        test.advance_clock(turn);
        janitor(&test).sweep().await;
        assert_eq!(sends(&test).await, kept);
        assert_eq!(test.dead_letters().await.len(), kept * 5);
    }
}

#[on_each_database]
async fn a_clock_that_is_set_far_ahead_removes_nothing_and_goes_on_when_it_is_right(
    database: TestDatabase,
) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    test.deliver().await;
    let janitor = janitor(&test);
    assert!(janitor.sweep().await);
    test.advance_clock(DAY * 1_000);
    assert!(!janitor.sweep().await);
    assert!(!janitor.sweep().await, "nor at the next look");
    assert_eq!(test_log::lines("the clock was set far ahead").len(), 1);
    assert_eq!(sends(&test).await, 1);
    test.clock.set_back(DAY * 1_000);
    assert!(janitor.sweep().await);
    assert_eq!(sends(&test).await, 1);
}

#[on_each_database]
async fn a_send_that_is_not_finished_is_kept_however_old(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.service
        .respond_by_default(ScriptedResponse::Status(500));
    test.subscribe(1).await;
    test.deliver().await;
    test.advance_clock(DAY * 1_000);
    janitor(&test).sweep().await;
    assert_eq!(sends(&test).await, 1);
}

#[on_each_database]
async fn who_was_counted_is_known_for_some_minutes_after_their_tokens(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let send = test.send().await;
    test.run_until_idle().await;
    let in_time = test.clock.now();
    let report = EngagementReport {
        recipient: RecipientId(1),
        hour: hour_of(in_time),
        engagement: Engagement::Displayed,
        action: None,
    };
    let count = async || {
        let counting = test
            .store
            .count_engagement(&send, vec![report.clone()], in_time);
        counting.await.expect("counted");
        test.record(&test.app, &send).await.engagement.displayed
    };
    assert_eq!(count().await, 1);
    let end = UnixMillis((report.hour + 1) * 3_600_000).plus(DAY * 7);
    test.advance_clock(end.since(in_time) + Duration::from_mins(4));
    janitor(&test).sweep().await;
    assert_eq!(count().await, 1);
    test.advance_clock(Duration::from_mins(2));
    janitor(&test).sweep().await;
    assert_eq!(count().await, 2);
}

#[on_each_database]
async fn it_stops_when_asked(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(janitor(&test).run(shutdown.clone()));
    shutdown.drain();
    running.await.expect("no panic");
}

/// Two janitors, for both of which there is an old send and an old deactivated subscription to remove. The one that removes the send takes
/// as long as this statement of PL/pgSQL, in the same transaction.
async fn two_that_sweep_at_once(meanwhile: &str) -> (TestEngine, [Janitor; 2]) {
    let database = TestDatabase::postgres().await;
    database.execute(&format!(
        "CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {meanwhile}; RETURN NULL; END $$;
         CREATE TRIGGER meanwhile AFTER DELETE ON sends FOR EACH ROW EXECUTE FUNCTION meanwhile()"
    ));
    let mut test = TestEngine::new(database).await;
    test.settings.retention_days = 3;
    test.service
        .respond_by_default(ScriptedResponse::Status(410));
    test.subscribe(1).await;
    test.deliver().await;
    test.advance_clock(DAY * 4);
    let janitors = [janitor(&test), janitor(&test)];
    (test, janitors)
}

async fn subscriptions(test: &TestEngine) -> usize {
    let page = PageRequest::parse(None, None, None).expect("the default page");
    let everything = SubscriptionFilter::default();
    let listed = test
        .store
        .subscriptions_of(&test.app.id, &everything, &page);
    listed.await.expect("listed").items.len()
}

#[tokio::test]
async fn of_two_that_have_work_one_does_all_of_it() {
    let (test, [one, other]) = two_that_sweep_at_once("PERFORM pg_sleep(1)").await;
    let (by_one, by_other) = tokio::join!(one.sweep(), other.sweep());
    assert!(by_one != by_other, "{by_one}, {by_other}");
    assert_eq!((sends(&test).await, subscriptions(&test).await), (0, 0));
}

/// It is due for renewal after 3 s.
#[tokio::test]
async fn who_loses_the_lease_leaves_the_rest_to_others() {
    let lose = "PERFORM pg_sleep(3.1); UPDATE sweep_lease SET holder = 0";
    let (test, [one, other]) = two_that_sweep_at_once(lose).await;
    let swept = tokio::join!(one.sweep(), other.sweep());
    assert_eq!(swept, (false, false));
    assert_eq!((sends(&test).await, subscriptions(&test).await), (0, 1));
    test.database.execute("UPDATE sweep_lease SET ends_at = 0");
    assert!(other.sweep().await);
    assert_eq!(subscriptions(&test).await, 0);
}
