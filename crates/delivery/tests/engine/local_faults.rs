//! What this machine lacks is nobody's failed attempt; what one host lacks is.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::{OutboundPolicy, PushOptions, Ttl};
use hato_service::ports::SendStatus;
use hato_testkit::push_service::{BrowserSubscription, PushService, PushServiceOptions};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::test_app::TestApp;
use crate::test_engine::{TestEngine, run};
use crate::test_log;
use crate::test_resolver::TestResolver;

/// More runs than a recipient has attempts.
const RUNS: usize = 6;

/// A push service with a name, and a resolver that knows it. Every failure that may be this machine's is looked into at once.
async fn impatient(database: TestDatabase) -> (TestEngine, Arc<TestResolver>) {
    let options = PushServiceOptions {
        host: "push.test".into(),
        ..PushServiceOptions::default()
    };
    let mut test = TestEngine::with(database, options).await;
    let resolver = TestResolver::new(&[("push.test", &["127.0.0.1"])]);
    test.settings.resolver = Arc::clone(&resolver) as _;
    test.settings.local_fault_after = Duration::ZERO;
    test.settings.local_fault_retry_delay = Duration::ZERO;
    (test, resolver)
}

/// Registers a subscriber whose push service is at another host.
async fn subscribe_at(test: &TestEngine, host: &str) {
    subscribe_of(test, &test.app, host).await;
}

/// The same with any app.
async fn subscribe_of(test: &TestEngine, app: &TestApp, host: &str) {
    let elsewhere = BrowserSubscription {
        endpoint: format!("https://{host}/push/1"),
        ..test.service.subscribe(None)
    };
    test.register(app, &[elsewhere]).await;
}

/// Sends to the only subscriber of an app, at this host.
async fn send_to(test: &TestEngine, app: &TestApp, host: &str) {
    subscribe_of(test, app, host).await;
    test.send_of(app, PushOptions::default()).await;
}

/// A listener with room for one connection that nobody has accepted: until it is, nobody else is answered.
fn narrow_listener() -> TcpListener {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind(([127, 0, 0, 1], 0).into())
        .expect("a free port");
    socket.listen(0).expect("a listener")
}

/// However many pages waited meanwhile, the log has one line with the cause, and one when it is over.
fn assert_logged_once(subject: &str, cause: &str) {
    let lines = test_log::lines(subject);
    let [beginning, end] = lines.as_slice() else {
        panic!("{lines:#?}");
    };
    let expected = format!("{subject} fail on this machine: deliveries wait failure={cause}");
    assert!(beginning.starts_with(&expected), "{beginning}");
    assert_eq!(*end, format!("{subject} succeed again"));
}

#[on_each_database]
async fn while_no_name_is_found_pages_wait(database: TestDatabase) {
    let (test, resolver) = impatient(database).await;
    test.subscribe(3).await;
    let engine = test.engine();
    let send = test.send().await;
    resolver.set_down(true);
    for run_number in 1..=RUNS {
        run(&engine).await;
        assert_eq!(test.queue.log().releases.len(), run_number);
        assert_eq!(test.queue.log().releases.last(), Some(&test.after(1)));
        test.advance_clock(Duration::from_secs(1));
    }
    assert!(test.queue.log().settlements.is_empty(), "no attempt");
    resolver.set_down(false);
    run(&engine).await;
    let record = test.record(&test.app, &send).await;
    assert_eq!((record.status, record.counts.sent), (SendStatus::Done, 3));
    assert_logged_once("look-ups", "name: the look-up timed out");
}

/// What may be chance, for the first 30 s of production.
#[on_each_database]
async fn a_look_up_that_fails_is_an_attempt_until_none_has_succeeded_for_long(
    database: TestDatabase,
) {
    let (mut test, resolver) = impatient(database).await;
    test.settings.local_fault_after = Duration::from_hours(1);
    test.subscribe(1).await;
    resolver.set_down(true);
    test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
    assert!(test_log::lines("on this machine").is_empty());
}

#[on_each_database]
async fn what_waits_for_this_machine_longer_than_its_ttl_is_out_of_time(database: TestDatabase) {
    let (test, resolver) = impatient(database).await;
    resolver.set_down(true);
    test.subscribe(2).await;
    let options = PushOptions {
        ttl: Ttl::parse(10).expect("a TTL"),
        ..PushOptions::default()
    };
    let send = test.send_with(options).await;
    let engine = test.engine();
    for _ in 0..10 {
        assert_eq!(test.dead_letters().await, []);
        run(&engine).await;
        test.advance_clock(Duration::from_secs(1));
    }
    let late = ("out_of_time".to_owned(), None, 0);
    assert_eq!(test.dead_letters().await, [late.clone(), late]);
    let record = test.record(&test.app, &send).await;
    assert_eq!(record.status, SendStatus::Done);
}

#[on_each_database]
async fn who_is_behind_a_dead_name_server_has_failed_while_others_are_found(
    database: TestDatabase,
) {
    let (test, _) = impatient(database).await;
    test.subscribe(1).await;
    let engine = test.engine();
    test.send().await;
    run(&engine).await;
    // Nobody needs a look-up now but those whose name server is dead.
    subscribe_at(&test, "dead.example").await;
    test.send().await;
    run(&engine).await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
    assert_eq!(test.queue.log().sent(), 2);
    assert!(test_log::lines("on this machine").is_empty());
}

#[on_each_database]
async fn a_name_that_does_not_exist_is_its_owners_fault(database: TestDatabase) {
    let (test, _) = impatient(database).await;
    subscribe_at(&test, "nobody.invalid").await;
    test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
}

#[on_each_database]
async fn while_nobody_can_be_connected_to_pages_wait(database: TestDatabase) {
    let (mut test, _) = impatient(database).await;
    // There is no route to a group of hosts, so nothing leaves this machine.
    test.settings.outbound = OutboundPolicy::parse("127.0.0.0/8,224.0.0.1").expect("a list");
    subscribe_at(&test, "224.0.0.1").await;
    let engine = test.engine();
    test.send().await;
    for run_number in 1..=RUNS {
        run(&engine).await;
        assert_eq!(test.queue.log().releases.len(), run_number);
        test.advance_clock(Duration::from_secs(1));
    }
    assert!(test.queue.log().settlements.is_empty(), "no attempt");
    let other = test.other_app().await;
    test.subscribe_at(&test.service, &other, 1).await;
    test.send_of(&other, PushOptions::default()).await;
    run(&engine).await;
    assert_eq!(test.queue.log().sent(), 1, "somebody else is there");
    test.advance_clock(Duration::from_secs(1));
    run(&engine).await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
    assert_logged_once("connections", "connection: ");
}

#[on_each_database]
async fn one_host_that_refuses_connections_has_failed(database: TestDatabase) {
    let (test, _) = impatient(database).await;
    subscribe_at(&test, "127.0.0.1:9").await;
    test.deliver().await;
    assert_eq!(test.queue.log().retries(), [(1, test.after(5), 1)]);
}

#[on_each_database]
async fn a_stranger_who_falls_silent_does_not_speak_for_the_network(database: TestDatabase) {
    let (mut test, _) = impatient(database).await;
    test.settings.local_fault_retry_delay = Duration::from_hours(1);
    test.settings.outbound = OutboundPolicy::parse("127.0.0.0/8,224.0.0.1").expect("a list");
    let other_service = PushService::start().await;
    test.settings.outbound_ca = Some(test.service.ca_pem() + &other_service.ca_pem());
    let engine = test.engine();
    test.subscribe(1).await;
    test.send().await;
    run(&engine).await;
    let stranger = narrow_listener();
    let address = stranger.local_addr().expect("an address");
    send_to(&test, &test.other_app().await, &address.to_string()).await;
    let hang_up = async { drop(stranger.accept().await) };
    tokio::join!(run(&engine), hang_up);
    let _waiting = TcpStream::connect(address).await.expect("the last one");
    // There is no route to a group of hosts.
    send_to(&test, &test.other_app().await, "224.0.0.1").await;
    run(&engine).await;
    let honest = test.other_app().await;
    test.subscribe_at(&other_service, &honest, 1).await;
    test.send_of(&honest, PushOptions::default()).await;
    run(&engine).await;
    assert_eq!(test.queue.log().sent(), 2);
    assert!(test_log::lines("on this machine").is_empty());
}
