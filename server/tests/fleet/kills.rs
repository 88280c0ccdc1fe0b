//! Workers that are killed, or halted for a while, at random moments.

use std::collections::HashSet;

use hato_cluster::Durability;
use hato_testkit::push_service::BrowserSubscription;
use hato_testkit::seeded_rng::{self, Rng};
use serde_json::{Value, json};

use crate::fixtures::{Fleet, FleetSize, env_or, message};

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
    /// Halts a worker first, kills another one then; later kills or halts one, or lets a halted one go on. One is always running.
    async fn disturb(&mut self, faults: &mut Faults, rng: &mut Rng) {
        let victim = rng.usize(..WORKERS);
        faults.count += 1;
        match faults.count {
            1 => self.halt(victim, faults).await,
            2 => {
                let runs = |worker: &usize| !faults.halted.contains(worker);
                let mut workers = (victim..WORKERS).chain(0..victim);
                let victim = workers.find(runs).expect("one is running");
                self.kill(victim, faults).await;
            }
            _ if faults.halted.remove(&victim) => self.workers[victim].resume().await,
            _ if faults.halted.len() + 1 < WORKERS && rng.bool() => {
                self.halt(victim, faults).await;
            }
            _ => self.kill(victim, faults).await,
        }
    }

    async fn halt(&self, victim: usize, faults: &mut Faults) {
        self.workers[victim].pause().await;
        faults.halted.insert(victim);
        faults.in_flight.extend(self.in_flight());
    }

    async fn kill(&mut self, victim: usize, faults: &mut Faults) {
        self.workers[victim].kill().await;
        faults.in_flight.extend(self.in_flight());
        let restarted = self.workers[victim].restart().await;
        restarted.expect("it starts again");
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
    let everybody = fleet.browsers.clone();
    survive_faults(&mut fleet, &message(), &everybody).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_do_they_lose_or_add_anybody_of_a_tag() {
    let size = FleetSize {
        apis: 2,
        workers: WORKERS,
        recipients: RECIPIENTS,
    };
    let mut fleet = Fleet::start(Durability::None, size).await;
    let tagged = fleet.tag_every_second("news");
    let mut to_tag = message();
    to_tag["to"] = json!({"tags": "news"});
    survive_faults(&mut fleet, &to_tag, &tagged).await;
}

/// Sends the message to the recipients while workers are killed and halted.
async fn survive_faults(fleet: &mut Fleet, message: &Value, recipients: &[BrowserSubscription]) {
    let mut rng = seeded_rng::from_env();
    let mut left = env_or("HATO_FAULTS", FAULTS_OF_A_SEND);
    let third = recipients.len() as u64 / 3;
    while left > 0 {
        let before = fleet.served();
        let send = fleet.send(rng.usize(..2), message, recipients.len()).await;
        let mut faults = Faults::default();
        while faults.count < left.min(FAULTS_OF_A_SEND)
            && fleet.reaches(rng.u64(1..third), &send).await
        {
            fleet.disturb(&mut faults, &mut rng).await;
        }
        left -= faults.count;
        let outcome = fleet.finish(&send).await;
        println!("{} faults: {outcome}", faults.count);
        fleet.wake(faults.halted).await;
        assert_eq!(fleet.history(1, &send).await, outcome);
        fleet.assert_exact_for(recipients, &outcome, &before, &faults.in_flight);
    }
}
