//! Many senders, one engine: none waits for another's troubles.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::PushOptions;
use hato_testkit::push_service::{BrowserSubscription, PushService, ScriptedResponse};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::test_engine::TestEngine;

/// While the first app's subscribers hang at their push service, another app's send goes through.
async fn another_apps_send_goes_through(test: TestEngine, subscribers: usize, hanging: u64) {
    let other_service = PushService::start().await;
    let mut test = test;
    test.settings.outbound_ca = Some(test.service.ca_pem() + &other_service.ca_pem());
    test.settings.response_timeout = Duration::from_hours(1);
    test.settings.per_origin.initial_requests = subscribers;
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(subscribers).await;
    let other = test.other_app().await;
    test.subscribe_at(&other_service, &other, 1).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests >= hanging)
        .await;
    test.send_of(&other, PushOptions::default()).await;
    test.notifier.notify();
    other_service
        .wait_until(|seen| seen.total.created == 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn pages_that_only_wait_are_parked() {
    let mut test = TestEngine::new().await;
    test.settings.pages_in_flight = 1;
    test.settings.page_size = 40;
    test.settings.park_after = Duration::from_millis(20);
    another_apps_send_goes_through(test, 200, 120).await;
}

#[tokio::test]
async fn a_small_page_is_parked_as_soon_as_it_only_waits() {
    let mut test = TestEngine::new().await;
    test.settings.pages_in_flight = 1;
    test.settings.park_after = Duration::from_hours(1);
    another_apps_send_goes_through(test, 1, 1).await;
}

#[tokio::test]
async fn a_send_does_not_wait_behind_all_that_another_app_has_queued() {
    const QUEUED: usize = 100;
    let mut test = TestEngine::new().await;
    test.settings.pages_in_flight = 1;
    test.subscribe(1).await;
    for _ in 0..QUEUED {
        test.send().await;
    }
    let other = test.other_app().await;
    test.subscribe_at(&test.service, &other, 1).await;
    test.send_of(&other, PushOptions::default()).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.created == QUEUED as u64 + 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let keys: Vec<_> = test.service.seen(|seen| {
        let messages = seen.messages.iter();
        messages.map(|it| it.subscription.clone()).collect()
    });
    let first = &keys[0];
    let place = keys.iter().position(|it| it != first);
    assert!(place < Some(QUEUED / 2), "it came after {place:?}");
}

/// Ports behind which nobody shakes hands, and who tells of each connection to one of them.
async fn silent_ports(count: usize) -> (Vec<u16>, mpsc::UnboundedReceiver<TcpStream>) {
    let (arrived, arrivals) = mpsc::unbounded_channel();
    let mut ports = Vec::new();
    for _ in 0..count {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        ports.push(listener.local_addr().expect("an address").port());
        let arrived = arrived.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                arrived.send(stream).ok();
            }
        });
    }
    (ports, arrivals)
}

#[tokio::test]
async fn hosts_that_do_not_answer_keep_no_connection_from_another_app() {
    let mut test = TestEngine::new().await;
    test.settings.connections = 4;
    test.settings.connects_per_app = 2;
    test.settings.connect_timeout = Duration::from_hours(1);
    let (ports, mut arrivals) = silent_ports(20).await;
    let model = test.service.subscribe(None);
    let at_port = |port| BrowserSubscription {
        endpoint: format!("https://127.0.0.1:{port}/push/1"),
        ..model.clone()
    };
    let silent: Vec<_> = ports.into_iter().map(at_port).collect();
    test.register(&test.app, &silent).await;
    test.send().await;
    let other = test.other_app().await;
    test.subscribe_at(&test.service, &other, 1).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    let _first = arrivals.recv().await.expect("a connection");
    let _second = arrivals.recv().await.expect("another");
    test.send_of(&other, PushOptions::default()).await;
    test.notifier.notify();
    test.service
        .wait_until(|seen| seen.total.created == 1)
        .await;
    assert!(arrivals.is_empty(), "two at a time");
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn an_app_that_has_its_share_is_passed_over() {
    let mut test = TestEngine::new().await;
    test.settings.pages_in_flight = 4;
    test.settings.page_size = 10;
    test.settings.max_parked_recipients = 0;
    another_apps_send_goes_through(test, 100, 30).await;
}
