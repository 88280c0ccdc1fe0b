//! A database that is killed in the middle of everything, and comes back.

use std::collections::HashSet;

use hato_cluster::Durability;
use hato_testkit::seeded_rng;

use crate::acceptor::Acceptor;
use crate::fixtures::{Fleet, FleetSize, env_or, wait_until_ready_is};

const RECIPIENTS: usize = 4_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_killed_loses_nothing_and_everybody_finds_it_again() {
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: RECIPIENTS,
    };
    let fleet = Fleet::start(Durability::Full, size).await;
    let mut rng = seeded_rng::from_env();
    let acceptor = Acceptor::start(&fleet);
    let send = fleet.broadcast(0).await;
    let mut in_flight = HashSet::new();
    for _ in 0..env_or("HATO_OUTAGES", 2) {
        fleet
            .reaches(rng.u64(1..RECIPIENTS as u64 / 3), &send)
            .await;
        fleet.cluster.kill().expect("killed");
        wait_until_ready_is(fleet.servers(), 503).await;
        fleet.cluster.restart().expect("it starts again");
        in_flight.extend(fleet.in_flight());
        wait_until_ready_is(fleet.servers(), 200).await;
    }
    let outcome = fleet.finish(&send).await;
    let accepted = acceptor.stop().await;
    println!("{} accepted besides {outcome}", accepted.len());
    let served = fleet.assert_accepted(&accepted).await;
    fleet.assert_exact(&outcome, &served, &in_flight);
}
