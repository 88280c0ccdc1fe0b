//! A clock that is half a day off, by which no push service takes what is signed.

use std::time::Duration;

use hato_delivery::Engine;
use hato_service::ports::SendStatus;
use hato_testkit::push_service::{PushService, ScriptedResponse};
use hato_testkit::{TestDatabase, on_each_database};

use crate::spy_queue::SpyQueue;
use crate::test_engine::{TestEngine, run};
use crate::test_log;

/// More than the 12 h that a token is good for, so that it is past, or good for more than 24 h.
const OFF: Duration = Duration::from_hours(14);
const WAIT: Duration = Duration::from_mins(1);
/// More runs than a recipient has attempts.
const RUNS: usize = 6;

/// Delivers nothing by a wrong clock, however often it is tried, and everything once `set_right` has been called.
async fn assert_waits_for_right_clock(
    test: &TestEngine,
    engine: &Engine<SpyQueue>,
    set_right: impl FnOnce(),
) {
    let settled = test.queue.log().settlements.len();
    let send = test.send().await;
    for tries in 1..=RUNS {
        run(engine).await;
        let refused = test.service.seen(|seen| seen.violations.len());
        assert_eq!(refused, 3 * tries, "each minute");
        test.advance_clock(WAIT);
    }
    assert_eq!(test.queue.log().settlements.len(), settled, "no attempt");
    assert_eq!(
        test_log::lines("this machine's clock").len(),
        1,
        "once a minute"
    );
    set_right();
    run(engine).await;
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
    assert_waits_for_right_clock(&test, &test.engine(), || test.rewind_clock(OFF)).await;
}

#[on_each_database]
async fn what_is_signed_by_a_clock_that_is_set_back_half_a_day_waits_until_it_is_right(
    database: TestDatabase,
) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    let engine = test.engine();
    test.send().await;
    run(&engine).await;
    assert_eq!(test.queue.log().sent(), 3);
    test.rewind_clock(OFF);
    assert_waits_for_right_clock(&test, &engine, || test.advance_clock(OFF)).await;
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

#[on_each_database]
async fn who_shows_another_time_than_those_who_take_messages_has_refused(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    let liar = PushService::start().await;
    test.settings.outbound_ca = Some(test.service.ca_pem() + &liar.ca_pem());
    let engine = test.engine();
    test.subscribe(1).await;
    test.send().await;
    run(&engine).await;

    let app = test.app.clone();
    test.subscribe_at(&liar, &app, 1).await;
    let date = "Thu, 01 Jan 2026 00:00:00 GMT";
    let lie = ScriptedResponse::Header(403, "date".to_owned(), date.to_owned());
    liar.respond_by_default(lie);
    let send = test.send().await;
    run(&engine).await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 1));
    assert_eq!(
        test.dead_letters().await,
        [("refused".to_owned(), Some(403), 1)]
    );
}
