//! A fleet behind a transaction pooler, which has fewer sessions than the fleet has processes and lends them for a transaction each
//! (CONTRACT 17).

use hato_cluster::{Durability, Pooler};
use hato_testkit::push_service::PushServiceOptions;

use crate::claims::Lost;
use crate::fixtures::{DATABASE, Fleet, FleetSize, cluster, counting, push_service, wait_until};
use crate::outcome::Served;

const WORKERS: usize = 3;
/// More pages than two workers hold at a time.
const RECIPIENTS: usize = 13_000;
/// So few that everybody looks for work many times before all is done.
const REQUESTS_PER_SECOND: u32 = 1_000;
/// Requests that the push service sees between the first claim and the kill.
const BEFORE_KILL: u64 = 100;

/// The sessions of the fleet's processes: the pooler's.
const SESSIONS: &str = "SELECT COUNT(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                          AND backend_type = 'client backend'";
/// As many as it has for a database.
const POOL_SIZE: u32 = 5;

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_transaction_pooler_workers_share_a_send_of_which_a_killed_one_loses_nothing() {
    let cluster = cluster(Durability::None);
    let pooler = Pooler::start(&cluster).unwrap_or_else(|error| panic!("{error}"));
    let url = pooler.url(DATABASE);
    let settings = [
        ("HATO_DATABASE_URL", &*url),
        ("HATO_DATABASE_PREPARED_STATEMENTS", "false"),
        ("HATO_DATABASE_LISTEN", "false"),
    ];
    let size = FleetSize {
        apis: 1,
        workers: 0,
        recipients: RECIPIENTS,
    };
    let slow = PushServiceOptions {
        requests_per_second: Some(REQUESTS_PER_SECOND),
        ..counting()
    };
    let mut fleet = Fleet::start_at(push_service(slow).await, cluster, size, &settings).await;
    for _ in 0..WORKERS {
        fleet.add_polling_worker().await;
    }

    for other in &fleet.workers[1..] {
        other.pause().await;
    }
    let send = fleet.broadcast(0).await;
    fleet.get_under_way(BEFORE_KILL, &send).await;
    fleet.workers[0].kill().await;
    let lost = fleet.lose(0);
    assert_ne!(lost.pages, 0, "it held nothing");
    for other in &fleet.workers[1..] {
        other.resume().await;
    }
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &lost);

    fleet.workers.remove(0);
    fleet.add_polling_worker().await;
    let (before, shares_before) = (fleet.served(), fleet.shares().await);
    let send = fleet.broadcast(0).await;
    let share = async || {
        let now = fleet.shares().await;
        let mut shares = now.iter().zip(&shares_before);
        shares.all(|(now, before)| now > before)
    };
    wait_until(share, "they do not share it").await;
    let sessions: u32 = fleet.query(SESSIONS).parse().expect("a number");
    assert!(sessions <= POOL_SIZE, "{sessions}");
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &before, &Lost::default());
    let logs = fleet.logs();
    assert!(!logs.contains("wake-ups of other processes"), "{logs}");
}
