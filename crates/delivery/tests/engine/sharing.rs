//! Many senders, one engine: none waits for another's troubles.

use std::sync::Arc;
use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::PushOptions;
use hato_testkit::push_service::{
    BrowserSubscription, PushService, PushServiceOptions, ScriptedResponse,
};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::test_engine::{TestEngine, many};
use crate::test_resolver::TestResolver;

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

#[on_each_database]
async fn pages_that_only_wait_are_parked(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.pages_in_flight = 1;
    test.settings.page_size = 40;
    test.settings.park_after = Duration::from_millis(20);
    another_apps_send_goes_through(test, 200, 120).await;
}

#[on_each_database]
async fn a_small_page_is_parked_as_soon_as_it_only_waits(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.pages_in_flight = 1;
    test.settings.park_after = Duration::from_hours(1);
    another_apps_send_goes_through(test, 1, 1).await;
}

#[on_each_database]
async fn a_send_does_not_wait_behind_all_that_another_app_has_queued(database: TestDatabase) {
    const QUEUED: usize = 100;
    let mut test = TestEngine::new(database).await;
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

/// Subscribers of the app at each of these ports.
async fn subscribe_at_ports(test: &TestEngine, ports: &[u16]) {
    let hosts = ports.iter().map(|port| format!("127.0.0.1:{port}"));
    subscribe_at_hosts(test, hosts).await;
}

/// A subscriber of the app at each of these hosts.
async fn subscribe_at_hosts(test: &TestEngine, hosts: impl Iterator<Item = String>) {
    let model = test.service.subscribe(None);
    let elsewhere = hosts.map(|host| BrowserSubscription {
        endpoint: format!("https://{host}/push/1"),
        ..model.clone()
    });
    test.register(&test.app, &elsewhere.collect::<Vec<_>>())
        .await;
}

/// All of another app's recipients at the test's push service are served.
async fn serve_another_app(test: &TestEngine, recipients: usize) {
    let other = test.other_app().await;
    test.subscribe_at(&test.service, &other, recipients).await;
    test.send_of(&other, PushOptions::default()).await;
    test.notifier.notify();
    test.service
        .wait_until(|seen| seen.total.created == recipients as u64)
        .await;
}

#[on_each_database]
async fn hosts_that_do_not_answer_keep_no_connection_from_another_app(database: TestDatabase) {
    let mut test = TestEngine::with(database, many()).await;
    test.settings.connects_per_app = 2;
    test.settings.connect_timeout = Duration::from_hours(1);
    let (ports, mut arrivals) = silent_ports(1_000).await;
    subscribe_at_ports(&test, &ports).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    let _first = arrivals.recv().await.expect("a connection");
    let _second = arrivals.recv().await.expect("another");
    serve_another_app(&test, 1_000).await;
    assert!(arrivals.is_empty(), "two at a time");
    shutdown.abort();
    running.await.expect("no panic");
}

#[on_each_database]
async fn names_that_are_not_found_keep_no_look_up_from_another_app(database: TestDatabase) {
    const NAMES: usize = 200;
    let options = PushServiceOptions {
        host: "push.test".into(),
        ..many()
    };
    let mut test = TestEngine::with(database, options).await;
    let resolver = TestResolver::new(&[("push.test", &["127.0.0.1"])]);
    test.settings.resolver = Arc::clone(&resolver) as _;
    test.settings.connects_per_app = NAMES;
    test.settings.connect_timeout = Duration::from_hours(1);
    let names = (0..NAMES).map(|number| format!("host{number}.unanswered"));
    subscribe_at_hosts(&test, names).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    resolver.wait_for_hanging(NAMES).await;
    serve_another_app(&test, 500).await;
    shutdown.abort();
    running.await.expect("no panic");
}

/// Ports behind which TLS is spoken and no request answered, and who tells of each connection to one of them.
async fn unresponsive_ports(
    test: &TestEngine,
    count: usize,
) -> (Vec<u16>, mpsc::UnboundedReceiver<TlsStream<TcpStream>>) {
    let acceptor = TlsAcceptor::from(test.service.ca().server_config(&["http/1.1"]));
    let (ports, mut connecting) = silent_ports(count).await;
    let (arrived, arrivals) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(stream) = connecting.recv().await {
            let (acceptor, arrived) = (acceptor.clone(), arrived.clone());
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    arrived.send(stream).ok();
                }
            });
        }
    });
    (ports, arrivals)
}

#[on_each_database]
async fn hosts_that_answer_late_keep_no_connection_from_another_app(database: TestDatabase) {
    let mut test = TestEngine::with(database, many()).await;
    // A host has 32 of them, and one app half of those.
    test.settings.connections = 64;
    test.settings.response_timeout = Duration::from_hours(1);
    let (ports, mut arrivals) = unresponsive_ports(&test, 100).await;
    subscribe_at_ports(&test, &ports).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    let mut held = Vec::new();
    while held.len() < 16 {
        held.push(arrivals.recv().await.expect("a connection"));
    }
    serve_another_app(&test, 1_000).await;
    assert!(arrivals.is_empty(), "the app has its share");
    shutdown.abort();
    running.await.expect("no panic");
}

#[on_each_database]
async fn an_app_that_waits_for_its_share_keeps_nobody_from_a_push_service_that_both_use(
    database: TestDatabase,
) {
    let mut test = TestEngine::new(database).await;
    // A host has 8 of them, and one app half of those.
    test.settings.connections = 16;
    test.settings.response_timeout = Duration::from_hours(1);
    let (ports, mut arrivals) = unresponsive_ports(&test, 5).await;
    subscribe_at_ports(&test, &ports).await;
    test.subscribe(1).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    let mut held = Vec::new();
    while held.len() < 4 {
        held.push(arrivals.recv().await.expect("a connection"));
    }
    // The last one of its page, who is at this push service, is in line for a connection.
    let other = test.other_app().await;
    let subscription = test.subscribe_at(&test.service, &other, 1).await.remove(0);
    test.send_of(&other, PushOptions::default()).await;
    test.notifier.notify();
    test.service
        .wait_until(|seen| seen.counts(&subscription.id).created == 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
}

#[on_each_database]
async fn an_app_that_has_its_share_is_passed_over(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.pages_in_flight = 4;
    test.settings.page_size = 10;
    test.settings.max_parked_recipients = 0;
    another_apps_send_goes_through(test, 100, 30).await;
}
