//! Windows of rate limits, counted by two processes on one database.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use futures_util::future::join_all;
use hato_service::ports::{CountedRequest, EntranceWindow, RateWindow, Store};
use hato_testkit::TestDatabase;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const LIMIT: u32 = 10;

/// The stores of two processes.
async fn processes(database: &TestDatabase) -> [Arc<dyn Store>; 2] {
    let opening = [(); 2].map(|()| hato_store::open(database.url()));
    let stores = join_all(opening).await.into_iter();
    let stores: Vec<_> = stores.map(|store| store.expect("opened")).collect();
    stores.try_into().ok().expect("two")
}

fn window(store: &Arc<dyn Store>, counted: CountedRequest) -> Arc<dyn RateWindow> {
    let window = Arc::clone(store).rate_window((counted, LIMIT));
    window.expect("it is shared")
}

async fn count(window: &Arc<dyn RateWindow>, client: IpAddr) -> bool {
    window.count(client).await.expect("counted")
}

async fn is_reached(window: &Arc<dyn RateWindow>, client: IpAddr) -> bool {
    window.is_reached(client).await.expect("read")
}

async fn fill(window: &Arc<dyn RateWindow>) {
    for _ in 0..LIMIT {
        assert!(count(window, CLIENT).await);
    }
    assert!(!count(window, CLIENT).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_once_as_many_are_counted_as_there_may_be() {
    let database = TestDatabase::postgres().await;
    let stores = processes(&database).await;
    for counted in CountedRequest::ALL {
        let windows = [0, 1].map(|it| window(&stores[it], counted));
        let requests = (0..80).map(|number| {
            let window = Arc::clone(&windows[number % 2]);
            tokio::spawn(async move { count(&window, CLIENT).await })
        });
        let answers = join_all(requests).await.into_iter();
        let counts = answers.filter(|answer| matches!(answer, Ok(true))).count();
        assert_eq!(counts, 10, "{counted:?}");
        for window in &windows {
            assert!(is_reached(window, CLIENT).await && !count(window, CLIENT).await);
        }
    }
}

#[tokio::test]
async fn a_client_is_counted_by_its_whole_address() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    let window = window(&store, CountedRequest::LogIn);
    fill(&window).await;
    for other in [
        IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped()),
    ] {
        assert!(!is_reached(&window, other).await && count(&window, other).await);
    }
}

#[tokio::test]
async fn a_window_ends_a_minute_after_it_opened_and_so_does_one_of_a_clock_set_back() {
    let database = TestDatabase::postgres().await;
    let [store, other] = processes(&database).await;
    let (window, other) = (
        window(&store, CountedRequest::FailedKey),
        window(&other, CountedRequest::FailedKey),
    );
    for (moved, ends) in [
        (-50_000, false),
        (50_000, false),
        (-60_000, true),
        (120_000, true),
    ] {
        database.execute("DELETE FROM rate_windows");
        fill(&window).await;
        database.execute(&format!(
            "UPDATE rate_windows SET opened_at = opened_at + {moved}"
        ));
        assert_eq!(is_reached(&other, CLIENT).await, !ends, "{moved}");
        if ends {
            fill(&other).await;
        } else {
            assert!(!count(&other, CLIENT).await, "{moved}");
        }
    }
}

#[tokio::test]
async fn what_did_not_happen_is_taken_back() {
    let database = TestDatabase::postgres().await;
    let [store, other] = processes(&database).await;
    let (window, other) = (
        window(&store, CountedRequest::NewSubscription),
        window(&other, CountedRequest::NewSubscription),
    );
    other.uncount(CLIENT).await.expect("nothing to take back");
    fill(&window).await;
    other.uncount(CLIENT).await.expect("taken back");
    assert!(!is_reached(&window, CLIENT).await);
    assert!(count(&window, CLIENT).await && !count(&other, CLIENT).await);
}

#[tokio::test]
async fn ended_windows_are_removed_a_few_at_a_time() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    let window = window(&store, CountedRequest::LogIn);
    fill(&window).await;
    database.execute(
        "INSERT INTO rate_windows (counted, client, opened_at, requests)
         SELECT 'register', decode(to_hex(number + 10), 'hex'),
                EXTRACT(EPOCH FROM now()) * 1000 - 60000, 1
         FROM generate_series(10, 30) AS number",
    );
    for may_leave_some in [true, true, false, false] {
        let purged = store.purge_rate_windows(10).await.expect("removed");
        assert_eq!(purged, may_leave_some);
    }
    database.execute("DO $$ BEGIN ASSERT (SELECT COUNT(*) FROM rate_windows) = 1; END $$");
    assert!(is_reached(&window, CLIENT).await, "one that is open stays");
}

const SITE: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 0));

/// A network in the site.
fn network(number: u16) -> IpAddr {
    Ipv6Addr::new(0x2001, 0xdb8, 1, number, 0, 0, 0, 0).into()
}

/// Ten of a client, and 25 of a site.
fn entrance(store: &Arc<dyn Store>) -> Arc<dyn EntranceWindow> {
    let (client, site) = (CountedRequest::LogIn, CountedRequest::LogInFromSite);
    let window = Arc::clone(store).entrance_window((client, LIMIT), (site, 25));
    window.expect("it is shared")
}

async fn enter(window: &Arc<dyn EntranceWindow>, client: IpAddr, site: Option<IpAddr>) -> bool {
    window.count(client, site).await.expect("counted")
}

/// The rows, each as its count and the transaction that wrote it last.
fn assert_windows(database: &TestDatabase, condition: &str) {
    database.execute(&format!(
        "DO $$ BEGIN ASSERT (SELECT {condition} FROM rate_windows); END $$"
    ));
}

#[tokio::test]
async fn a_client_and_its_site_are_counted_with_one_write() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    let window = entrance(&store);
    for _ in 0..2 {
        assert!(enter(&window, network(1), Some(SITE)).await);
    }
    assert_windows(
        &database,
        "COUNT(*) = 2 AND MIN(requests) = 2 AND COUNT(DISTINCT CAST(xmin AS TEXT)) = 1",
    );
    assert!(enter(&window, CLIENT, None).await);
    assert_windows(&database, "COUNT(*) = 3");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_once_a_site_has_what_it_may_and_its_clients_what_they_may() {
    let database = TestDatabase::postgres().await;
    let windows = processes(&database).await.map(|store| entrance(&store));
    let many = async |clients: u16| {
        let requests = (0..80_u16).map(|number| {
            let window = Arc::clone(&windows[usize::from(number % 2)]);
            let client = network(number % clients);
            tokio::spawn(async move { enter(&window, client, Some(SITE)).await })
        });
        let answers = join_all(requests).await.into_iter();
        answers.filter(|answer| matches!(answer, Ok(true))).count()
    };
    // Those who were refused did not use up what the site has.
    assert_eq!(many(1).await, 10);
    assert_windows(&database, "COUNT(*) = 2 AND MAX(requests) = 10");
    assert_eq!(many(8).await, 15);
    assert!(!enter(&windows[0], network(9), Some(SITE)).await);
    assert_windows(
        &database,
        "COUNT(*) FILTER (WHERE encode(client, 'hex') LIKE '20010db800010009%') = 0",
    );
    assert!(enter(&windows[0], CLIENT, None).await);
}

#[tokio::test]
async fn who_counts_removes_ended_windows_where_nobody_sweeps() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    database.execute(
        "INSERT INTO rate_windows (counted, client, opened_at, requests)
         SELECT 'register', decode(lpad(to_hex(number), 8, '0'), 'hex'),
                EXTRACT(EPOCH FROM now()) * 1000 - 60000, 1
         FROM generate_series(1, 1000) AS number",
    );
    let window = window(&store, CountedRequest::FailedKey);
    for number in 0..200_u32 {
        let client = IpAddr::V4(Ipv4Addr::from_bits(number));
        assert!(count(&window, client).await);
    }
    assert_windows(&database, "COUNT(*) = 200");
}

#[tokio::test]
async fn a_window_is_counted_after_all_connections_were_cut() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    let window = window(&store, CountedRequest::LogIn);
    assert!(count(&window, CLIENT).await);
    database.end_sessions();
    assert!(count(&window, CLIENT).await);
}
