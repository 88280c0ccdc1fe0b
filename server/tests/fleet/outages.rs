//! A database that is killed in the middle of everything, and comes back.

use hato_cluster::Durability;
use hato_testkit::seeded_rng;

use crate::fixtures::{
    DATABASE, Fleet, FleetSize, cluster, env_or, wait_until_logged, wait_until_ready_is,
};

/// For each outage, for pages that somebody has are delivered meanwhile.
const RECIPIENTS: u64 = 4_000;
/// Requests between two outages at most.
const BETWEEN_OUTAGES: u64 = 1_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_killed_loses_nothing_and_everybody_finds_it_again() {
    let outages = env_or("HATO_OUTAGES", 2);
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: usize::try_from(outages * RECIPIENTS).expect("not so many"),
    };
    let cluster = cluster(Durability::Full);
    let url = cluster.url(DATABASE);
    let fleet = Fleet::start_slow(cluster, size, &[("HATO_DATABASE_URL", &url)]).await;
    let mut rng = seeded_rng::from_env();
    let traffic = fleet.begin_traffic().await;
    let address = fleet.cluster.folder().display();
    let no_connection = format!("PostgreSQL at {address} gave no connection in time");
    for _ in 0..outages {
        let further = rng.u64(1..BETWEEN_OUTAGES);
        fleet.get_under_way(further, &traffic.send).await;
        fleet.cluster.kill().expect("killed");
        wait_until_ready_is(fleet.servers(), 503).await;
        wait_until_logged(&fleet.workers[0], &no_connection).await;
        fleet.cluster.restart().expect("it starts again");
        wait_until_ready_is(fleet.servers(), 200).await;
    }
    assert!(!fleet.logs().contains("pool timed out"));
    fleet
        .assert_traffic_exact(traffic, Fleet::lose_of_earlier_databases)
        .await;
}
