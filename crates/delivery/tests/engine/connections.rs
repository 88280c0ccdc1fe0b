//! Connections that break, end, hang or are few.

use std::time::Duration;

use hato_delivery::{OriginLimits, Shutdown};
use hato_service::ports::{SendRecord, SendStatus};
use hato_testkit::fault_proxy::FaultProxy;
use hato_testkit::push_service::{BrowserSubscription, PushServiceOptions, ScriptedResponse};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::TcpListener;

use crate::test_engine::{TestEngine, http1, many, run};

fn assert_each_served_once(
    test: &TestEngine,
    record: &SendRecord,
    subscriptions: &[BrowserSubscription],
) {
    let expected = i64::try_from(subscriptions.len()).expect("a small number");
    assert_eq!(
        (record.status, record.counts.sent),
        (SendStatus::Done, expected)
    );
    test.service.seen(|seen| {
        for subscription in subscriptions {
            assert_eq!(seen.counts(&subscription.id).requests, 1);
        }
    });
    test.service.assert_no_violations();
}

#[on_each_database]
async fn a_large_send_goes_out_page_by_page(database: TestDatabase) {
    let test = TestEngine::with(database, many()).await;
    let subscriptions = test.subscribe(1_200).await;
    let record = test.deliver().await;
    assert_eq!(test.queue.log().settlements.len(), 3);
    assert_each_served_once(&test, &record, &subscriptions);
}

#[on_each_database]
async fn a_peer_that_allows_few_streams_gets_few(database: TestDatabase) {
    let options = PushServiceOptions {
        max_concurrent_streams: 3,
        ..many()
    };
    let test = TestEngine::with(database, options).await;
    let subscriptions = test.subscribe(200).await;
    let record = test.deliver().await;
    assert_each_served_once(&test, &record, &subscriptions);
}

#[on_each_database]
async fn connections_that_the_peer_retires_are_replaced(database: TestDatabase) {
    for options in [PushServiceOptions::default(), http1()] {
        let options = PushServiceOptions {
            requests_per_connection: Some(7),
            decryption: many().decryption,
            ..options
        };
        let test = TestEngine::with(database.another().await, options).await;
        let subscriptions = test.subscribe(200).await;
        let record = test.deliver().await;
        assert_each_served_once(&test, &record, &subscriptions);
    }
}

#[on_each_database]
async fn after_a_reset_the_next_send_gets_a_new_connection(database: TestDatabase) {
    for options in [PushServiceOptions::default(), http1()] {
        let test = TestEngine::with(database.another().await, options).await;
        let engine = test.engine();
        let subscriptions = test.subscribe(1).await;
        test.service.script(
            &subscriptions[0],
            [ScriptedResponse::Created, ScriptedResponse::Reset],
        );
        for _ in 0..2 {
            test.send().await;
            run(&engine).await;
        }
        assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
        test.advance_clock(Duration::from_secs(5));
        run(&engine).await;
        assert_eq!(test.queue.log().sent(), 2);
        assert_eq!(test.service.seen(|seen| seen.total.requests), 3);
    }
}

#[on_each_database]
async fn a_connection_on_which_nothing_comes_back_is_not_used_again(database: TestDatabase) {
    let mut proxy = FaultProxy::reserve();
    let options = proxy.upstream_options(PushServiceOptions::default());
    let mut test = TestEngine::with(database, options).await;
    proxy.open();
    test.settings.response_timeout = Duration::from_secs(2);
    let engine = test.engine();
    let subscriptions = test.subscribe(3).await;
    test.send().await;
    run(&engine).await;
    proxy.stall_connections();
    test.send().await;
    run(&engine).await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 3)]);
    test.advance_clock(Duration::from_secs(5));
    run(&engine).await;
    assert_eq!(test.queue.log().sent(), 6);
    test.service.seen(|seen| {
        for subscription in &subscriptions {
            assert_eq!(seen.counts(&subscription.id).requests, 2);
        }
    });
}

fn at_port(subscription: &BrowserSubscription, port: u16, number: usize) -> BrowserSubscription {
    let endpoint = format!("https://127.0.0.1:{port}/push/{number}");
    BrowserSubscription {
        endpoint,
        ..subscription.clone()
    }
}

#[on_each_database]
async fn nobody_at_the_address_is_retried_later(database: TestDatabase) {
    let mut test = TestEngine::new(database).await;
    test.settings.connect_timeout = Duration::from_secs(3);
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let ports = [&silent, &closed].map(|it| it.local_addr().expect("an address").port());
    drop(closed);
    let subscription = test.subscribe(1).await.remove(0);
    let elsewhere = [(ports[0], 1), (ports[0], 2), (ports[1], 3), (ports[1], 4)]
        .map(|(port, number)| at_port(&subscription, port, number));
    test.register(&test.app, &elsewhere).await;
    let record = test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 4)]);
    assert_eq!(record.counts.sent, 1);
}

#[on_each_database]
async fn idle_connections_make_room_for_other_origins(database: TestDatabase) {
    for options in [PushServiceOptions::default(), http1()] {
        let mut test = TestEngine::with(database.another().await, options.clone()).await;
        test.settings.connections = 1;
        let other = TestEngine::with(database.another().await, options).await;
        test.settings.outbound_ca = Some(test.service.ca_pem() + &other.service.ca_pem());
        test.subscribe(5).await;
        test.subscribe_at(&other.service, &test.app, 5).await;
        assert_eq!(test.deliver().await.counts.sent, 10);
        test.service.assert_no_violations();
        other.service.assert_no_violations();
    }
}

#[on_each_database]
async fn connections_are_added_up_to_their_limit(database: TestDatabase) {
    // An HTTP/2 peer allows 100 requests on each of four connections, an HTTP/1.1 peer one on each of 32.
    for (options, most) in [(PushServiceOptions::default(), 400), (http1(), 32)] {
        let mut test = TestEngine::with(database.another().await, options).await;
        test.settings.per_origin = OriginLimits {
            initial_requests: 500,
            http2_connections: 4,
            ..OriginLimits::default()
        };
        test.service.respond_by_default(ScriptedResponse::Hang);
        test.subscribe(500).await;
        test.send().await;
        let shutdown = Shutdown::new();
        let running = tokio::spawn(test.engine().run(shutdown.clone()));
        test.service
            .wait_until(|seen| seen.total.requests == most)
            .await;
        shutdown.abort();
        running.await.expect("no panic");
        assert_eq!(test.service.seen(|seen| seen.total.requests), most);
    }
}

#[on_each_database]
async fn a_thousand_requests_are_in_flight_at_one_origin(database: TestDatabase) {
    let mut test = TestEngine::with(database, many()).await;
    test.settings.per_origin.initial_requests = 1_000;
    test.service.respond_by_default(ScriptedResponse::Hang);
    test.subscribe(1_000).await;
    test.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(test.engine().run(shutdown.clone()));
    test.service
        .wait_until(|seen| seen.total.requests == 1_000)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
}

#[on_each_database]
async fn endless_answers_do_not_clog_a_connection(database: TestDatabase) {
    for options in [PushServiceOptions::default(), http1()] {
        let test = TestEngine::with(database.another().await, options).await;
        test.service.respond_by_number(|number| match number % 2 {
            0 => ScriptedResponse::Endless,
            _ => ScriptedResponse::Created,
        });
        let subscriptions = test.subscribe(200).await;
        let record = test.deliver().await;
        assert_each_served_once(&test, &record, &subscriptions);
    }
}
