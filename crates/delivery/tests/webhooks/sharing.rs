//! Apps share the permits for requests: however many receivers are slow, and however much waits for one, the others' events
//! leave.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::AppId;
use hato_testkit::webhook_receiver::{Event, ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::test_webhooks::TestWebhooks;

/// Slow apps: three times as many as there are permits of the prompt tier.
const SLOW: usize = 12;
const MAX_IN_FLIGHT: usize = 4;

/// Apps with some events each whose receiver never answers.
async fn slow_apps(test: &TestWebhooks) {
    test.receiver.respond_with(ReceiverResponse::Hang);
    for _ in 0..SLOW {
        let app = test.new_app().await;
        test.set_webhook_url(&app, test.receiver.url()).await;
        for _ in 0..2 {
            test.queue_test_event_of(&app).await;
        }
    }
}

async fn prompt_app(test: &TestWebhooks) -> (AppId, WebhookReceiver) {
    let receiver = WebhookReceiver::start(&test.test_ca).await;
    let app = test.new_app().await;
    test.set_webhook_url(&app, receiver.url()).await;
    (app, receiver)
}

fn run(test: &TestWebhooks, shutdown: &Shutdown) -> JoinHandle<()> {
    tokio::spawn(test.sender().run(shutdown.clone()))
}

async fn stop(shutdown: Shutdown, running: JoinHandle<()>) {
    shutdown.abort();
    running.await.expect("no panic");
}

/// Announces some events to an app, and waits until they have come.
async fn exchange(test: &TestWebhooks, app: &AppId, receiver: &WebhookReceiver) {
    for _ in 0..20 {
        test.queue_test_event_of(app).await;
        test.notifier.notify_event(app);
    }
    receiver.wait_until(|seen| seen.len() == 20).await;
}

#[on_each_database]
async fn receivers_that_begin_to_hang_move_to_the_slow_tier(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.max_in_flight = MAX_IN_FLIGHT;
    test.settings.max_slow_in_flight = 8 * SLOW;
    test.settings.prompt = Duration::from_millis(20);
    slow_apps(&test).await;
    let (app, receiver) = prompt_app(&test).await;
    let shutdown = Shutdown::new();
    let running = run(&test, &shutdown);
    test.receiver.wait_until(|seen| seen.len() >= SLOW).await;
    exchange(&test, &app, &receiver).await;
    let most = SLOW * test.settings.per_app;
    assert!(test.receiver.seen().len() <= most, "bounded per app");
    stop(shutdown, running).await;
}

/// Slow apps whose receiver is known to hang, and hangs for as long as the test runs.
async fn known_slow_apps(test: &mut TestWebhooks) {
    test.settings.max_in_flight = MAX_IN_FLIGHT;
    test.settings.prompt = Duration::from_millis(10);
    test.settings.response_timeout = Duration::from_millis(50);
    slow_apps(test).await;
    test.post().await;
    test.receiver.take();
    test.advance_clock(Duration::from_mins(1));
    // However long this machine takes, nobody else is called slow.
    test.settings.prompt = Duration::from_hours(1);
    test.settings.response_timeout = Duration::from_hours(1);
}

#[on_each_database]
async fn bodies_of_slow_receivers_leave_memory_to_the_others(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.max_slow_in_flight = SLOW;
    test.settings.body_bytes = 4 * 1_024;
    known_slow_apps(&mut test).await;
    let (app, receiver) = prompt_app(&test).await;
    let shutdown = Shutdown::new();
    let running = run(&test, &shutdown);
    test.receiver.wait_until(|seen| !seen.is_empty()).await;
    exchange(&test, &app, &receiver).await;
    stop(shutdown, running).await;
}

#[on_each_database]
async fn receivers_that_are_known_to_hang_delay_nobody(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.max_slow_in_flight = 2;
    known_slow_apps(&mut test).await;
    let (app, receiver) = prompt_app(&test).await;
    let shutdown = Shutdown::new();
    let running = run(&test, &shutdown);
    test.receiver.wait_until(|seen| seen.len() == 2).await;
    exchange(&test, &app, &receiver).await;
    assert_eq!(
        test.receiver.seen().len(),
        2,
        "the permits of the slow tier"
    );
    stop(shutdown, running).await;
}

#[on_each_database]
async fn a_backlog_takes_turns_with_the_others(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.max_in_flight = 1;
    test.settings.turn_events = 10;
    for _ in 0..50 {
        test.queue_test_event().await;
    }
    test.advance_clock(Duration::from_secs(1));
    let (app, receiver) = prompt_app(&test).await;
    test.queue_test_event_of(&app).await;
    test.advance_clock(Duration::from_secs(1));
    let shutdown = Shutdown::new();
    let running = run(&test, &shutdown);
    receiver.wait_until(|seen| seen.len() == 1).await;
    let before = test.receiver.seen().len();
    assert!((10..=20).contains(&before), "{before}");
    test.receiver.wait_until(|seen| seen.len() == 50).await;
    stop(shutdown, running).await;
    let mut ids: Vec<_> = test.receiver.seen().iter().map(Event::id).collect();
    let came = ids.clone();
    ids.sort_unstable();
    assert_eq!(came, ids, "in the order of settlement through all turns");
}

#[on_each_database]
async fn no_more_requests_are_in_flight_than_there_are_permits(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    test.settings.max_in_flight = MAX_IN_FLIGHT;
    test.settings.max_slow_in_flight = 0;
    let answers = Arc::new(Semaphore::new(0));
    let held = ReceiverResponse::When(Arc::clone(&answers));
    test.receiver.respond_with(held);
    for _ in 0..SLOW {
        let app = test.new_app().await;
        test.set_webhook_url(&app, test.receiver.url()).await;
        test.queue_test_event_of(&app).await;
    }
    let shutdown = Shutdown::new();
    let running = run(&test, &shutdown);
    for answered in 0..=SLOW - MAX_IN_FLIGHT {
        let expected = MAX_IN_FLIGHT + answered;
        let came = |seen: &[Event]| seen.len() >= expected;
        test.receiver.wait_until(came).await;
        assert_eq!(test.receiver.seen().len(), expected);
        answers.add_permits(1);
    }
    stop(shutdown, running).await;
}
