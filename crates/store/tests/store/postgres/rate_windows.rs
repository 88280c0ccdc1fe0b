//! Windows of rate limits, counted by two processes on one database.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use futures_util::future::join_all;
use hato_service::ports::{CountedRequest, RateWindow, Store};
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
    let window = Arc::clone(store).rate_window(counted, LIMIT);
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

#[tokio::test]
async fn a_window_is_counted_after_all_connections_were_cut() {
    let database = TestDatabase::postgres().await;
    let [store, _] = processes(&database).await;
    let window = window(&store, CountedRequest::LogIn);
    assert!(count(&window, CLIENT).await);
    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    assert!(count(&window, CLIENT).await);
}
