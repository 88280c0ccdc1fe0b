//! Connections that break, end, hang or are few.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_service::ports::Clock as _;
use hato_testkit::push_service::{Answer, BrowserSubscription, Options};
use tokio::net::TcpListener;

use crate::world::{World, http1};

fn assert_each_served_once(world: &World, subscriptions: &[BrowserSubscription]) {
    let expected = i64::try_from(subscriptions.len()).expect("a small number");
    assert_eq!(world.queue.ledger().sent(), expected);
    assert_eq!(world.queue.ledger().queued(), []);
    world.service.seen(|seen| {
        for subscription in subscriptions {
            assert_eq!(seen.counts(&subscription.id).requests, 1);
        }
    });
    world.service.assert_no_violations();
}

#[tokio::test]
async fn a_large_send_goes_out_page_by_page() {
    let world = World::new().await;
    let subscriptions = world.subscribe(1_200);
    world.deliver(&subscriptions).await;
    assert_eq!(world.queue.ledger().settlements.len(), 3);
    assert_each_served_once(&world, &subscriptions);
}

#[tokio::test]
async fn a_peer_that_allows_few_streams_gets_few() {
    let options = Options {
        max_concurrent_streams: 3,
        ..Options::default()
    };
    let world = World::with(options).await;
    let subscriptions = world.subscribe(200);
    world.deliver(&subscriptions).await;
    assert_each_served_once(&world, &subscriptions);
}

#[tokio::test]
async fn connections_that_the_peer_retires_are_replaced() {
    for options in [Options::default(), http1()] {
        let options = Options {
            requests_per_connection: Some(7),
            ..options
        };
        let world = World::with(options).await;
        let subscriptions = world.subscribe(200);
        world.deliver(&subscriptions).await;
        assert_each_served_once(&world, &subscriptions);
    }
}

#[tokio::test]
async fn after_a_reset_the_next_send_gets_a_new_connection() {
    for options in [Options::default(), http1()] {
        let world = World::with(options).await;
        let engine = world.engine();
        let subscriptions = world.subscribe(1);
        world
            .service
            .script(&subscriptions[0], [Answer::Created, Answer::Reset]);
        for _ in 0..2 {
            world.accept(world.content(), &subscriptions);
            engine.run_until_idle().await.expect("the queue answers");
        }
        let due_at = world.clock.now().plus(Duration::from_secs(5));
        assert_eq!(world.queue.ledger().queued(), [(1, due_at, 1)]);
        world.turn_clock(Duration::from_secs(5));
        engine.run_until_idle().await.expect("the queue answers");
        assert_eq!(world.queue.ledger().sent(), 2);
        assert_eq!(world.service.seen(|seen| seen.total.requests), 3);
    }
}

fn at_port(subscription: &BrowserSubscription, port: u16) -> BrowserSubscription {
    let endpoint = format!("https://127.0.0.1:{port}/push/{}", subscription.id);
    BrowserSubscription {
        endpoint,
        ..subscription.clone()
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_retried_later() {
    let mut world = World::new().await;
    world.settings.connect_timeout = Duration::from_millis(300);
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let ports = [&silent, &closed].map(|it| it.local_addr().expect("an address").port());
    drop(closed);
    let subscription = world.subscribe(1).remove(0);
    let [hangs, refuses] = ports.map(|port| at_port(&subscription, port));
    world
        .deliver(&[hangs.clone(), hangs, refuses.clone(), refuses, subscription])
        .await;
    let due_at = world.clock.now().plus(Duration::from_secs(5));
    assert_eq!(world.queue.ledger().queued(), [(1, due_at, 4)]);
    assert_eq!(world.queue.ledger().sent(), 1);
}

#[tokio::test]
async fn idle_connections_make_room_for_other_origins() {
    for options in [Options::default(), http1()] {
        let mut world = World::with(options.clone()).await;
        world.settings.connections = 1;
        let other = World::with(options).await;
        world.settings.outbound_ca = Some(world.service.ca_pem() + &other.service.ca_pem());
        let mut subscriptions = world.subscribe(5);
        subscriptions.extend(other.service.subscribe_many(None, 5));
        world.deliver(&subscriptions).await;
        assert_eq!(world.queue.ledger().sent(), 10);
        world.service.assert_no_violations();
        other.service.assert_no_violations();
    }
}

#[tokio::test]
async fn connections_are_added_up_to_their_limit() {
    // An HTTP/2 peer allows 100 requests on each of four connections, an HTTP/1.1 peer one on each of 32.
    for (options, most) in [(Options::default(), 400), (http1(), 32)] {
        let world = World::with(options).await;
        world.service.answer_by_default(Answer::Hang);
        world.accept(world.content(), &world.subscribe(500));
        let shutdown = Shutdown::new();
        let running = tokio::spawn(world.engine().run(shutdown.clone()));
        world
            .service
            .wait_until(|seen| seen.total.requests == most)
            .await;
        shutdown.abort();
        running.await.expect("no panic");
        assert_eq!(world.service.seen(|seen| seen.total.requests), most);
    }
}

#[tokio::test]
async fn endless_answers_do_not_clog_a_connection() {
    for options in [Options::default(), http1()] {
        let world = World::with(options).await;
        world.service.answer_by_number(|number| match number % 2 {
            0 => Answer::Endless,
            _ => Answer::Created,
        });
        let subscriptions = world.subscribe(200);
        world.deliver(&subscriptions).await;
        assert_each_served_once(&world, &subscriptions);
    }
}
