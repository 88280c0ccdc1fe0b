//! Many senders, one engine: none waits for another's troubles.

use std::time::Duration;

use hato_delivery::Shutdown;
use hato_domain::PushOptions;
use hato_testkit::push_service::{Answer, BrowserSubscription, PushService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::world::World;

/// While the first app's subscribers hang at their push service, another app's send goes through.
async fn another_apps_send_goes_through(world: World, subscribers: usize, hanging: u64) {
    let other_service = PushService::start().await;
    let mut world = world;
    world.settings.outbound_ca = Some(world.service.ca_pem() + &other_service.ca_pem());
    world.settings.answer_timeout = Duration::from_hours(1);
    world.service.answer_by_default(Answer::Hang);
    world.subscribe(subscribers).await;
    let other = world.other_app().await;
    world.subscribe_at(&other_service, &other, 1).await;
    world.send().await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.requests >= hanging)
        .await;
    world.send_of(&other, PushOptions::default()).await;
    world.wake.ring();
    other_service
        .wait_until(|seen| seen.total.created == 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn pages_that_only_wait_step_aside() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_size = 40;
    world.settings.page_patience = Duration::from_millis(20);
    another_apps_send_goes_through(world, 200, 120).await;
}

#[tokio::test]
async fn a_small_page_steps_aside_as_soon_as_it_only_waits() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.settings.page_patience = Duration::from_hours(1);
    another_apps_send_goes_through(world, 1, 1).await;
}

#[tokio::test]
async fn a_send_does_not_wait_behind_all_that_another_app_has_queued() {
    const QUEUED: usize = 100;
    let mut world = World::new().await;
    world.settings.pages_in_flight = 1;
    world.subscribe(1).await;
    for _ in 0..QUEUED {
        world.send().await;
    }
    let other = world.other_app().await;
    world.subscribe_at(&world.service, &other, 1).await;
    world.send_of(&other, PushOptions::default()).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    world
        .service
        .wait_until(|seen| seen.total.created == QUEUED as u64 + 1)
        .await;
    shutdown.abort();
    running.await.expect("no panic");
    let keys: Vec<_> = world.service.seen(|seen| {
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
    let mut world = World::new().await;
    world.settings.connections = 4;
    world.settings.openings_per_app = 2;
    world.settings.connect_timeout = Duration::from_hours(1);
    let (ports, mut arrivals) = silent_ports(20).await;
    let model = world.service.subscribe(None);
    let at_port = |port| BrowserSubscription {
        endpoint: format!("https://127.0.0.1:{port}/push/1"),
        ..model.clone()
    };
    let silent: Vec<_> = ports.into_iter().map(at_port).collect();
    world.register(&world.app, &silent).await;
    world.send().await;
    let other = world.other_app().await;
    world.subscribe_at(&world.service, &other, 1).await;
    let shutdown = Shutdown::new();
    let running = tokio::spawn(world.engine().run(shutdown.clone()));
    let _first = arrivals.recv().await.expect("a connection");
    let _second = arrivals.recv().await.expect("another");
    world.send_of(&other, PushOptions::default()).await;
    world.wake.ring();
    world
        .service
        .wait_until(|seen| seen.total.created == 1)
        .await;
    assert!(arrivals.is_empty(), "two at a time");
    shutdown.abort();
    running.await.expect("no panic");
}

#[tokio::test]
async fn an_app_that_has_its_share_is_passed_over() {
    let mut world = World::new().await;
    world.settings.pages_in_flight = 4;
    world.settings.page_size = 10;
    world.settings.recipients_aside = 0;
    another_apps_send_goes_through(world, 100, 30).await;
}
