//! Connections to the database that are cut while everybody works.

use hato_cluster::Durability;
use hato_testkit::seeded_rng;

use crate::claims::Lost;
use crate::fixtures::{DATABASE, Fleet, FleetSize, cluster, env_or};

/// For each cut of all connections: so many take longer than it and the cuts before it.
const RECIPIENTS: u64 = 2_500;
/// Requests between two cuts of all connections at most.
const BETWEEN_CUTS: u64 = 200;
/// Between two cuts of all connections.
const SINGLE_CUTS: u64 = 8;

const CUT_ONE: &str = "SELECT pg_terminate_backend(pid) FROM
                           (SELECT pid FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                            ORDER BY random() LIMIT 1) AS one";

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_lose_nothing_and_double_nothing() {
    let cuts = env_or("HATO_CUTS", 4);
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: usize::try_from(cuts * RECIPIENTS).expect("not so many"),
    };
    let cluster = cluster(Durability::None);
    let url = cluster.url(DATABASE);
    let fleet = Fleet::start_slow(cluster, size, &[("HATO_DATABASE_URL", &url)]).await;
    let mut rng = seeded_rng::from_env();
    let traffic = fleet.begin_traffic().await;
    for _ in 0..cuts {
        let further = rng.u64(1..BETWEEN_CUTS);
        fleet.get_under_way(further, &traffic.send).await;
        for _ in 0..SINGLE_CUTS {
            fleet.query(CUT_ONE);
        }
        let all_cut = fleet.cluster.end_sessions(DATABASE);
        all_cut.expect("cut");
    }
    fleet.assert_unfinished(&traffic.send);
    fleet
        .assert_traffic_exact(traffic, |_| Lost::default())
        .await;
}
