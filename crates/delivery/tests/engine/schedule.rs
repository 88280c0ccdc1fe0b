//! Sends with a time, an end and a pace (CONTRACT 14).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use hato_delivery::Scheduler;
use hato_domain::{PushOptions, Schedule, SendId, Ttl, UnixMillis};
use hato_service::ports::{Clock, SendStatus};
use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_engine::{TestEngine, run};

fn schedule(
    send_at: Option<UnixMillis>,
    expires_at: Option<UnixMillis>,
    per_minute: Option<i64>,
) -> Schedule {
    let millis = |at: Option<UnixMillis>| at.map(|at| at.0);
    Schedule::parse(millis(send_at), millis(expires_at), per_minute).expect("a schedule")
}

fn scheduler(test: &TestEngine) -> Scheduler {
    let clock: Arc<dyn Clock> = Arc::clone(&test.clock) as _;
    Scheduler::new(Arc::clone(&test.store), clock, test.notifier.clone())
}

/// Starts what is due, and returns the wait until the next look.
async fn start_due(test: &TestEngine) -> Duration {
    scheduler(test)
        .start_due()
        .await
        .expect("the store answers")
}

#[on_each_database]
async fn a_clock_that_steps_changes_nothing_about_the_instant(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(2).await;
    let at = test.after(7_200);
    let send = test.schedule(schedule(Some(at), None, None)).await;
    for (back, forth) in [(3_600, 0), (0, 10_799), (9_000, 9_000)] {
        test.rewind_clock(Duration::from_secs(back));
        test.advance_clock(Duration::from_secs(forth));
        start_due(&test).await;
        test.run_until_idle().await;
        let record = test.record(&test.app, &send).await;
        assert_eq!(record.status, SendStatus::Scheduled);
    }
    let wait = start_due(&test).await;
    assert!(wait <= Duration::from_secs(1), "{wait:?}");
    test.advance_clock(Duration::from_secs(1));
    start_due(&test).await;
    test.run_until_idle().await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 2));
}

#[on_each_database]
async fn it_starts_within_two_seconds_whenever_it_was_scheduled(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    // Someone schedules so many milliseconds after a look, for so many milliseconds later; another send waits for a day.
    let millis = Duration::from_millis;
    let distant = schedule(Some(test.after(86_400)), None, None);
    for (behind_look, ahead) in [(0, 1), (1, 1), (200, 300), (450, 40), (0, 700), (10, 2_300)] {
        for other in [None, Some(distant)] {
            let mut wait = start_due(&test).await;
            if let Some(other) = other {
                test.schedule(other).await;
            }
            let passed = wait.min(millis(behind_look));
            test.advance_clock(passed);
            let at = test.clock.now().plus(millis(ahead));
            let send = test.schedule(schedule(Some(at), None, None)).await;
            wait -= passed;
            while test.record(&test.app, &send).await.status == SendStatus::Scheduled {
                test.advance_clock(wait);
                wait = start_due(&test).await;
            }
            let late = test.clock.now().since(at);
            assert!(test.clock.now() >= at, "too early");
            assert!(
                late <= Duration::from_secs(2),
                "{behind_look} {ahead}: {late:?}"
            );
        }
    }
}

#[on_each_database]
async fn hundreds_of_one_app_that_are_due_keep_no_other_app_waiting(database: TestDatabase) {
    const OF_ONE: usize = 400;
    let test = TestEngine::new(database).await;
    let other = test.other_app().await;
    let (at, later) = (test.after(60), test.after(61));
    let many = (0..OF_ONE).map(|_| test.schedule(schedule(Some(at), None, None)));
    let many: Vec<SendId> = stream::iter(many).buffered(32).collect().await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(
            test.schedule_of(&other, schedule(Some(later), None, None))
                .await,
        );
    }
    test.advance_clock(Duration::from_secs(62));
    let wait = start_due(&test).await;
    for send in &others {
        let record = test.record(&other, send).await;
        assert_eq!(record.status, SendStatus::Done, "to nobody, so it is over");
    }
    assert_eq!(wait, Duration::ZERO, "there are more");
    while start_due(&test).await == Duration::ZERO {}
    for send in &many {
        let record = test.record(&test.app, send).await;
        assert_eq!(record.status, SendStatus::Done);
    }
}

#[on_each_database]
async fn its_time_to_live_runs_from_when_it_was_due(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let at = test.after(60);
    let late = test
        .schedule(schedule(Some(at), Some(test.after(400)), None))
        .await;
    test.advance_clock(Duration::from_secs(100));
    start_due(&test).await;
    test.run_until_idle().await;
    assert_eq!(test.record(&test.app, &late).await.counts.sent, 1);
    let ttl = test.service.seen(|seen| seen.messages[0].ttl);
    assert_eq!(ttl, 300, "what is left until it expires");
}

#[on_each_database]
async fn its_time_to_live_ends_though_it_began_late(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(1).await;
    let options = PushOptions {
        ttl: Ttl::parse(60).expect("a TTL"),
        ..PushOptions::default()
    };
    // It is a minute old as soon as it may begin, or half of one.
    for (late, sent) in [(30, 1), (60, 0)] {
        let at = Some(test.after(10));
        let send = test
            .schedule_with(options.clone(), schedule(at, None, None))
            .await;
        test.advance_clock(Duration::from_secs(10 + late));
        start_due(&test).await;
        test.run_until_idle().await;
        let record = test.record(&test.app, &send).await;
        let counts = record.counts;
        assert_eq!(record.status, SendStatus::Done);
        assert_eq!((counts.sent, counts.failed_other), (sent, 1 - sent));
    }
    let ttls: Vec<_> = test
        .service
        .seen(|seen| seen.messages.iter().map(|it| it.ttl).collect());
    assert_eq!(ttls, [30]);
    assert_eq!(
        test.dead_letters().await,
        [("out_of_time".to_owned(), None, 0)]
    );
}

#[on_each_database]
async fn what_expires_before_it_starts_reaches_nobody(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.subscribe(3).await;
    let (at, end) = (test.after(60), test.after(61));
    let send = test.schedule(schedule(Some(at), Some(end), None)).await;
    test.advance_clock(Duration::from_secs(61));
    start_due(&test).await;
    test.run_until_idle().await;
    let record = test.record(&test.app, &send).await;
    assert_eq!(
        (record.status, record.counts.failed_other),
        (SendStatus::Done, 3)
    );
    let out_of_time = ("out_of_time".to_owned(), None, 0);
    assert_eq!(test.dead_letters().await, vec![out_of_time; 3]);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
}

/// The clock of whoever delivers is four seconds behind that of the page, by which the message's time is over.
#[on_each_database]
async fn what_expires_by_the_clock_of_its_page_reaches_nobody(database: TestDatabase) {
    let test = TestEngine::new(database).await;
    test.queue.log().clock_lead = -4_000;
    test.subscribe(1).await;
    let (at, end) = (test.after(60), test.after(63));
    test.schedule(schedule(Some(at), Some(end), None)).await;
    test.advance_clock(Duration::from_mins(1));
    start_due(&test).await;
    test.run_until_idle().await;
    let out_of_time = ("out_of_time".to_owned(), None, 0);
    assert_eq!(test.dead_letters().await, [out_of_time]);
    assert_eq!(test.service.seen(|seen| seen.total.requests), 0);
}

#[on_each_database]
async fn no_minute_has_more_first_attempts_and_everybody_is_reached(database: TestDatabase) {
    const PER_MINUTE: usize = 20;
    const RECIPIENTS: usize = 30;
    let test = TestEngine::new(database).await;
    test.subscribe(RECIPIENTS).await;
    // Retries are not paced.
    test.service.respond_by_number(|number| match number % 4 {
        1 => ScriptedResponse::Status(500),
        _ => ScriptedResponse::Created,
    });
    let send = test.schedule(schedule(None, None, Some(20))).await;
    let engine = test.engine();
    let mut begun: Vec<(UnixMillis, usize)> = Vec::new();
    while test.record(&test.app, &send).await.status != SendStatus::Done {
        run(&engine).await;
        begun.push((test.clock.now(), tried(&test)));
        test.advance_clock(Duration::from_millis(500));
    }
    for (from, before) in &begun {
        let within = |it: &&(UnixMillis, usize)| it.0.since(*from) <= Duration::from_mins(1);
        let after = begun.iter().filter(within).map(|it| it.1).max();
        let most = after.unwrap_or_default().saturating_sub(*before);
        assert!(most <= PER_MINUTE, "{begun:?}");
    }
    assert_eq!(tried(&test), RECIPIENTS);
    let counts = test.record(&test.app, &send).await.counts;
    assert_eq!(counts.sent + counts.failed_other, 30);
    test.service.assert_no_violations();
}

/// How many recipients were tried so far.
fn tried(test: &TestEngine) -> usize {
    test.service.seen(|seen| {
        let tried = seen.messages.iter().map(|it| it.subscription.clone());
        tried.collect::<HashSet<_>>().len()
    })
}
