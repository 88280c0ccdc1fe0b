//! Workers that are killed, or halted for a while, at random moments.

use std::collections::HashSet;

use hato_testkit::push_service::{BrowserSubscription, PushServiceOptions};
use hato_testkit::seeded_rng::{self, Rng};
use serde_json::{Value, json};

use crate::claims::Lost;
use crate::fixtures::{Fleet, FleetSize, counting, env_or, message};

const WORKERS: usize = 3;
const RECIPIENTS: usize = 6_000;
/// Faults during one send at most.
const FAULTS_OF_A_SEND: u64 = 4;

/// So few that a send takes longer than what is done to it.
const REQUESTS_PER_SECOND: u32 = 500;

/// The faults of a send.
#[derive(Default)]
struct Faults {
    halts: u64,
    kills: u64,
    resumes: u64,
    halted: HashSet<usize>,
    lost: Lost,
}

impl Faults {
    fn count(&self) -> u64 {
        self.halts + self.kills + self.resumes
    }
}

impl Fleet {
    /// Halts a worker first, kills another one then; later kills or halts one, or lets a halted one go on. One is always running, and
    /// whoever is hit has pages in work: where nobody has, nothing is done.
    async fn disturb(&mut self, faults: &mut Faults, rng: &mut Rng) {
        let first = rng.usize(..WORKERS);
        if faults.kills > 0 && faults.halted.remove(&first) {
            self.resume(first, faults).await;
            faults.resumes += 1;
            return;
        }
        let Some(victim) = self.halt_a_holder(first, &faults.halted).await else {
            return;
        };
        let may_halt = faults.halted.len() + 1 < WORKERS;
        let is_halt = faults.halts == 0 || faults.kills > 0 && may_halt && rng.bool();
        if is_halt {
            faults.halts += 1;
            faults.halted.insert(victim);
        } else {
            faults.kills += 1;
            self.workers[victim].kill().await;
            faults.lost.add(self.lose(victim));
            self.restart_worker(victim).await;
        }
    }

    /// Lets a worker go on. What it has in work may have been delivered by others since it was halted.
    async fn resume(&self, worker: usize, faults: &mut Faults) {
        faults.lost.add(self.lose(worker));
        self.workers[worker].resume().await;
    }

    /// Lets those go on that are halted, whose pages others have delivered by now, and waits until they are through with them.
    async fn wake(&mut self, faults: &mut Faults) {
        for worker in std::mem::take(&mut faults.halted) {
            self.resume(worker, faults).await;
            let ended = self.workers[worker].terminate().await;
            assert_eq!(ended.expect("it stops").code(), Some(0));
            self.restart_worker(worker).await;
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
    let mut fleet = Fleet::start_with_push_service(size, slow()).await;
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
    let mut fleet = Fleet::start_with_push_service(size, slow()).await;
    let tagged = fleet.tag_every_second("news");
    let mut to_tag = message();
    to_tag["to"] = json!({"tags": "news"});
    survive_faults(&mut fleet, &to_tag, &tagged).await;
}

fn slow() -> PushServiceOptions {
    PushServiceOptions {
        requests_per_second: Some(REQUESTS_PER_SECOND),
        ..counting()
    }
}

/// Sends the message to the recipients, of whom some fail and some leave, while workers are killed and halted.
async fn survive_faults(fleet: &mut Fleet, message: &Value, recipients: &[BrowserSubscription]) {
    let mut rng = seeded_rng::from_env();
    let mut left = env_or("HATO_FAULTS", FAULTS_OF_A_SEND);
    let third = recipients.len() as u64 / 3;
    let receiver = fleet.receive_events().await;
    let (mut recipients, mut sends) = (recipients.to_vec(), Vec::new());
    let all = recipients.len();
    let (mut halts, mut kills) = (0, 0);
    while left > 0 {
        let before = fleet.served();
        let fates = fleet.assign_fates(&recipients);
        let send = fleet.send(rng.usize(..2), message, recipients.len()).await;
        let mut faults = Faults::default();
        while faults.count() < left.min(FAULTS_OF_A_SEND)
            && fleet.reaches(rng.u64(1..third), &send).await
        {
            fleet.disturb(&mut faults, &mut rng).await;
        }
        assert_ne!(faults.count(), 0, "the send was over before any fault");
        left -= faults.count();
        (halts, kills) = (halts + faults.halts, kills + faults.kills);
        let outcome = fleet.finish(&send).await;
        fleet.wake(&mut faults).await;
        println!(
            "{} faults, {} pages lost: {outcome}",
            faults.count(),
            faults.lost.pages
        );
        assert_eq!(fleet.history(1, &send).await, outcome);
        fleet.assert_exact_for(&fates.sent(), &outcome, &before, &faults.lost);
        fleet.assert_failures(&send, &fates);
        recipients = fates.remaining();
        fleet.assert_expired(all - recipients.len());
        sends.push((send, fates));
    }
    fleet.assert_events(&receiver, &sends).await;
    fleet.assert_sound().await;
    assert!(halts > 0 && kills > 0, "{halts} halts, {kills} kills");
}
