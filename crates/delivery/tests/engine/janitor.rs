//! What is too old goes, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::{Janitor, Shutdown};
use hato_domain::{Engagement, PageRequest, UnixMillis};
use hato_service::hour_of;
use hato_service::ports::{Clock, EngagementReport, RecipientId};
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
