//! A clock that is half a day off, by which no push service takes what is signed.

use std::time::Duration;

use hato_service::ports::SendStatus;
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{TestEngine, run};
use crate::test_log;

/// More than the 12 h that a token is good for, so that it is past, or good for more than 24 h.
const OFF: Duration = Duration::from_hours(14);
const WAIT: Duration = Duration::from_mins(1);
/// More runs than a recipient has attempts.
const RUNS: usize = 6;

/// Delivers nothing by a wrong clock, however often it is tried, and everything once `set_right` has been called.
async fn assert_waits_for_right_clock(test: &TestEngine, set_right: impl FnOnce()) {
    let engine = test.engine();
    let send = test.send().await;
    for tries in 1..=RUNS {
        run(&engine).await;
        let refused = test.service.seen(|seen| seen.violations.len());
        assert_eq!(refused, 3 * tries, "each minute");
        test.advance_clock(WAIT);
    }
    assert!(test.queue.log().settlements.is_empty(), "no attempt");
    assert_eq!(
        test_log::lines("this machine's clock").len(),
        1,
        "once a minute"
    );
    set_right();
    run(&engine).await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
}

#[on_each_database]
async fn what_is_signed_by_a_clock_half_a_day_ahead_waits_until_it_is_right(
    database: TestDatabase,
) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    test.advance_clock(OFF);
    assert_waits_for_right_clock(&test, || test.rewind_clock(OFF)).await;
}

#[on_each_database]
async fn what_is_signed_by_a_clock_half_a_day_behind_waits_until_it_is_right(
    database: TestDatabase,
) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    test.rewind_clock(OFF);
    assert_waits_for_right_clock(&test, || test.advance_clock(OFF)).await;
}

#[on_each_database]
async fn who_is_refused_at_the_right_time_has_failed(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    test.service.script_any([ScriptedResponse::Status(403)]);
    test.deliver().await;
    assert_eq!(
        test.dead_letters().await,
        [("refused".to_owned(), Some(403), 1)]
    );
}
