//! Who does what in a fleet.

use std::time::Duration;

use hato_cluster::Durability;
use hato_testkit::push_service::{Protocols, PushServiceOptions};

use crate::claims::Lost;
use crate::fixtures::{Fleet, FleetSize, counting, wait_until};
use crate::outcome::Served;

/// 40 pages of 500. A worker has 9 of an app in its slots at a time and a few that are parked, so two leave some for the third.
const RECIPIENTS: usize = 20_000;
/// What each of them delivers at least.
const FIFTH: u64 = RECIPIENTS as u64 / 5;
/// A worker has 32 requests in flight over HTTP/1.1, so it delivers 320 in a second and waits for the push service, not for a processor.
const LATENCY: Duration = Duration::from_millis(100);

#[tokio::test(flavor = "multi_thread")]
async fn three_workers_share_a_broadcast() {
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: RECIPIENTS,
    };
    let far_away = PushServiceOptions {
        protocols: Protocols::Http1,
        latency: LATENCY,
        ..counting()
    };
    let fleet = Fleet::start_with_push_service(size, far_away).await;
    let send = fleet.broadcast(1).await;
    let outcome = fleet.finish(&send).await;
    assert_eq!(fleet.history(1, &send).await, outcome);
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());
    // A worker counts after the commit by which others know that it is done.
    let are_counted = async || fleet.shares().await.iter().sum::<u64>() >= RECIPIENTS as u64;
    wait_until(are_counted, "not every delivery is counted").await;
    let shares = fleet.shares().await;
    assert_eq!(shares.iter().sum::<u64>(), RECIPIENTS as u64);
    assert!(shares.iter().all(|share| *share >= FIFTH), "{shares:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn either_kind_of_process_does_its_part_without_the_other() {
    let size = FleetSize {
        apis: 1,
        workers: 0,
        recipients: 1_000,
    };
    let mut fleet = Fleet::start(Durability::None, size).await;
    let send = fleet.broadcast(0).await;
    let item = fleet.history(0, &send).await;
    assert_eq!(
        (&item["status"], &item["sent_count"]),
        (&"queued".into(), &0.into())
    );
    assert_eq!(fleet.push.seen(|seen| seen.total.requests), 0);

    let ended = fleet.apis.remove(0).terminate().await.expect("it stops");
    assert_eq!(ended.code(), Some(0));
    fleet.add_worker().await;
    fleet
        .push
        .wait_until(|seen| seen.subscriptions_served() == 1_000)
        .await;
    fleet.add_api().await;
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());
}
