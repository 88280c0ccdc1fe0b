//! Pages whose worker is halted for longer than its lease, or is asked to stop.

use hato_cluster::Durability;
use hato_testkit::push_service::ScriptedResponse;

use crate::claims::Lost;
use crate::fixtures::{Fleet, FleetSize, wait_until_logged};
use crate::outcome::Served;

/// As many requests as an engine has under way at a push service that it knows nothing of.
const IN_FLIGHT: usize = 16;
/// After so many answers the push service falls silent.
const ANSWERED: u64 = 200;

fn one_worker(recipients: usize) -> FleetSize {
    FleetSize {
        apis: 1,
        workers: 1,
        recipients,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_wakes_after_its_lease_settles_nothing() {
    let mut fleet = Fleet::start(Durability::None, one_worker(IN_FLIGHT)).await;
    fleet.push.respond_by_default(ScriptedResponse::Hang);
    let send = fleet.broadcast(0).await;
    let all = IN_FLIGHT as u64;
    fleet
        .push
        .wait_until(|seen| seen.total.requests == all)
        .await;
    fleet.workers[0].pause().await;
    // The end of its lease.
    fleet.query("UPDATE jobs SET due_at = 0 WHERE claimed = 1");
    fleet.push.respond_by_default(ScriptedResponse::Created);
    fleet.add_worker().await;
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());

    fleet.workers[0].resume().await;
    wait_until_logged(&fleet.workers[0], "lease was lost: nothing recorded").await;
    assert_eq!(fleet.history(0, &send).await, outcome);
    assert_eq!(fleet.query("SELECT COUNT(*) FROM jobs"), "0");
    assert_eq!(fleet.push.seen(|seen| seen.total.requests), 2 * all);
}

/// A lease that is left ends 13 s later at least, since it is renewed when a third of its 20 s is over.
const DUE_LATER: &str =
    "SELECT COUNT(*) FROM jobs WHERE due_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 + 1000";

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_asked_to_stop_leaves_nothing_to_its_leases() {
    let delays = [("HATO_RETRY_DELAYS", "1ms,1ms,1ms")];
    let mut fleet = Fleet::start_with(Durability::None, one_worker(600), &delays).await;
    fleet.push.respond_by_number(|number| match number {
        ANSWERED.. => ScriptedResponse::Hang,
        _ => ScriptedResponse::Created,
    });
    let send = fleet.broadcast(0).await;
    fleet
        .push
        .wait_until(|seen| seen.total.requests > ANSWERED)
        .await;
    let ended = fleet.workers.remove(0).terminate().await;
    assert_eq!(ended.expect("it stops").code(), Some(0));
    // What it had claimed is anybody's now, and not only when its lease would have ended.
    let leased = "SELECT COUNT(*) FROM jobs WHERE claimed = 1";
    assert_eq!(fleet.query(leased), "0");
    assert_ne!(fleet.query("SELECT COUNT(*) FROM jobs"), "0");
    assert_eq!(fleet.query(DUE_LATER), "0");

    fleet.push.respond_by_default(ScriptedResponse::Created);
    fleet.add_worker().await;
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());
}
