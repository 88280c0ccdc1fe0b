//! Workers that are killed, or halted for a while, at random moments.

use std::collections::HashSet;

use hato_cluster::Durability;
use hato_testkit::seeded_rng::{self, Rng};

use crate::fixtures::{Fleet, FleetSize, env_or};

const WORKERS: usize = 3;
const RECIPIENTS: usize = 6_000;
/// Faults during one send at most.
const FAULTS_OF_A_SEND: u64 = 4;

/// The faults of a send.
#[derive(Default)]
struct Faults {
    count: u64,
    halted: HashSet<usize>,
    /// The subscriptions of pages that were in flight at one of them.
    in_flight: HashSet<String>,
}

impl Fleet {
    /// Kills or halts a worker, or lets a halted one go on. One is always running.
    async fn disturb(&mut self, faults: &mut Faults, rng: &mut Rng) {
        let victim = rng.usize(..WORKERS);
        faults.count += 1;
        if faults.halted.remove(&victim) {
            return self.workers[victim].resume().await;
        }
        let others_run = faults.halted.len() + 1 < WORKERS;
        if others_run && rng.bool() {
            self.workers[victim].pause().await;
            faults.halted.insert(victim);
            faults.in_flight.extend(self.in_flight());
        } else {
            self.workers[victim].kill().await;
            faults.in_flight.extend(self.in_flight());
            self.workers[victim]
                .restart()
                .await
                .expect("it starts again");
        }
    }

    /// Lets those go on that are halted, whose pages others have delivered by now, and waits until they are through with them.
    async fn wake(&mut self, halted: HashSet<usize>) {
        for worker in halted {
            self.workers[worker].resume().await;
            let ended = self.workers[worker].terminate().await;
            assert_eq!(ended.expect("it stops").code(), Some(0));
            self.workers[worker]
                .restart()
                .await
                .expect("it starts again");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_killed_and_halted_at_any_moment_lose_nothing_and_count_once() {
    let size = FleetSize {
        apis: 2,
        workers: WORKERS,
        recipients: RECIPIENTS,
    };
    let mut fleet = Fleet::start(Durability::None, size).await;
    let mut rng = seeded_rng::from_env();
    let mut left = env_or("HATO_FAULTS", FAULTS_OF_A_SEND);
    while left > 0 {
        let before = fleet.served();
        let send = fleet.broadcast(rng.usize(..2)).await;
        let mut faults = Faults::default();
        while faults.count < left.min(FAULTS_OF_A_SEND)
            && fleet
                .reaches(rng.u64(1..RECIPIENTS as u64 / 3), &send)
                .await
        {
            fleet.disturb(&mut faults, &mut rng).await;
        }
        left -= faults.count;
        let outcome = fleet.finish(&send).await;
        println!("{} faults: {outcome}", faults.count);
        fleet.wake(faults.halted).await;
        assert_eq!(fleet.history(1, &send).await, outcome);
        fleet.assert_exact(&outcome, &before, &faults.in_flight);
    }
}
