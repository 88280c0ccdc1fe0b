//! Work that panics is put off, and in the end given up; the rest goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::UnixMillis;
use hato_service::ports::{Clock, SendStatus};
use hato_testkit::manual_clock::ManualClock;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{ENCRYPTION_KEY, TestEngine, run};

#[on_each_database]
async fn a_panic_in_one_page_does_not_stop_the_others(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.pages_in_flight = 1;
    test.settings.page_size = 1;
    test.settings.poll_interval = Duration::from_millis(10);
    test.queue.log().panics = 1;
    test.subscribe(2).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.queue.wait_until(|log| log.sent() == 1).await;
    test.advance_clock(Duration::from_secs(5));
    test.queue.wait_until(|log| log.sent() == 2).await;
    shutdown.drain();
    running.await.expect("no panic");
}

#[on_each_database]
async fn a_page_that_panics_each_time_is_given_up_after_the_retries(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.queue.log().panics = 4;
    test.subscribe(2).await;
    let send = test.send().await;
    let engine = test.engine();
    for wait in [0, 5, 60, 600] {
        test.advance_clock(Duration::from_secs(wait));
        assert_eq!(test.dead_letters().await, []);
        run(&engine).await;
    }
    let unreachable = ("unreachable".to_owned(), None, 1);
    assert_eq!(
        test.dead_letters().await,
        [unreachable.clone(), unreachable]
    );
    let record = test.record(&test.app, &send).await;
    assert_eq!(record.status, SendStatus::Done);
}

#[on_each_database]
async fn a_page_that_cannot_even_be_given_up_stays_in_the_queue(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.queue.log().panics = 5;
    test.subscribe(1).await;
    let send = test.send().await;
    let engine = test.engine();
    for wait in [0, 5, 60, 600] {
        test.advance_clock(Duration::from_secs(wait));
        run(&engine).await;
    }
    assert_eq!(test.queue.log().releases.last(), Some(&test.after(3_600)));
    test.advance_clock(Duration::from_hours(1));
    run(&engine).await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 1));
}

/// A clock that panics once, when it is asked for the so-manieth time since it was armed.
struct TreacherousClock {
    clock: Arc<ManualClock>,
    left: AtomicUsize,
}

impl Clock for TreacherousClock {
    fn now(&self) -> UnixMillis {
        assert_ne!(
            self.left.fetch_sub(1, Ordering::SeqCst),
            1,
            "asked to panic"
        );
        self.clock.now()
    }
}

#[on_each_database]
async fn a_panic_over_one_recipient_is_that_recipients_failed_attempt(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    let send = test.send().await;
    // The claim, the TTL and the token ask first, then each answer when it is judged.
    let clock = Arc::new(TreacherousClock {
        clock: Arc::clone(&test.clock),
        left: AtomicUsize::new(5),
    });
    let engine = test.engine_with_clock(clock, Some(ENCRYPTION_KEY));
    run(&engine).await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 2);
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
    test.advance_clock(Duration::from_secs(5));
    run(&engine).await;
    assert_eq!(test.record(&test.app, &send).await.counts.sent, 3);
}
