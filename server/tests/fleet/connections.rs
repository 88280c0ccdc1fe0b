//! Connections to the database that are cut while everybody works.

use std::collections::HashSet;

use hato_cluster::Durability;

use crate::acceptor::Acceptor;
use crate::fixtures::{Fleet, FleetSize, env_or};

const RECIPIENTS: usize = 4_000;
/// Between two cuts of all connections.
const SINGLE_CUTS: u64 = 8;

const CUT_ALL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
const CUT_ONE: &str = "SELECT pg_terminate_backend(pid) FROM
                           (SELECT pid FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                            ORDER BY random() LIMIT 1) AS one";

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_lose_nothing_and_double_nothing() {
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: RECIPIENTS,
    };
    let fleet = Fleet::start(Durability::None, size).await;
    let acceptor = Acceptor::start(&fleet);
    let send = fleet.broadcast(0).await;
    for _ in 0..env_or("HATO_CUTS", 4) {
        for _ in 0..SINGLE_CUTS {
            fleet.query(CUT_ONE);
        }
        fleet.query(CUT_ALL);
    }
    let outcome = fleet.finish(&send).await;
    let accepted = acceptor.stop().await;
    println!("{} accepted besides {outcome}", accepted.len());
    let served = fleet.assert_accepted(&accepted).await;
    fleet.assert_exact(&outcome, &served, &HashSet::new());
}
