//! A paced send, whatever the number of workers, and whoever of them is killed (CONTRACT 14).

use std::collections::HashSet;

use hato_testkit::push_service::PushServiceOptions;
use hato_testkit::seeded_rng;
use serde_json::json;

use crate::claims::Lost;
use crate::fixtures::{Fleet, FleetSize, message};
use crate::outcome::Served;

const WORKERS: usize = 3;
/// Pages of 50 that leave 2.2 s apart.
const PER_MINUTE: usize = 1_500;
/// More than a minute's.
const RECIPIENTS: usize = 1_700;
/// So few that a page is often under way when somebody is killed.
const REQUESTS_PER_SECOND: u32 = 60;
/// Requests between two kills at most.
const BETWEEN_KILLS: u64 = 200;
const MINUTE_MILLIS: u64 = 60_000;

#[tokio::test(flavor = "multi_thread")]
async fn three_workers_begin_no_more_than_the_pace_whoever_is_killed() {
    let size = FleetSize {
        apis: 1,
        workers: WORKERS,
        recipients: RECIPIENTS,
    };
    let slow = PushServiceOptions {
        requests_per_second: Some(REQUESTS_PER_SECOND),
        ..PushServiceOptions::default()
    };
    let mut fleet = Fleet::start_with_push_service(size, slow).await;
    let mut paced = message();
    paced["max_per_minute"] = json!(PER_MINUTE);
    let send = fleet.send(0, &paced, RECIPIENTS).await;
    let (mut rng, mut lost) = (seeded_rng::from_env(), Lost::default());
    for first in 0..WORKERS {
        let victim = loop {
            let is_under_way = fleet.reaches(rng.u64(1..BETWEEN_KILLS), &send).await;
            assert!(is_under_way, "{WORKERS} kills are in less than a minute");
            if let Some(victim) = fleet.halt_a_holder(first, &HashSet::new()).await {
                break victim;
            }
        };
        fleet.workers[victim].kill().await;
        lost.add(fleet.lose(victim));
        fleet.restart_worker(victim).await;
    }
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &lost);
    let mut begun: Vec<u64> = fleet
        .push
        .seen(|seen| seen.messages.iter().map(|it| it.received_at).collect());
    begun.sort_unstable();
    let later = begun.iter().skip(PER_MINUTE);
    for (first, later) in begun.iter().zip(later) {
        let apart = later - first;
        assert!(apart > MINUTE_MILLIS, "{PER_MINUTE} and one in {apart} ms");
    }
    assert!(begun.len() > PER_MINUTE, "nothing was compared");
}
