//! One worker that does not reach its database for longer than its lease, while the others go on (CONTRACT 17).

use std::iter;

use hato_cluster::Durability;

use crate::claims::Lost;
use crate::database_proxy::DatabaseProxy;
use crate::fixtures::{DATABASE, Fleet, FleetSize, cluster, wait_until, wait_until_ready_is};
use crate::outcome::Served;

/// Enough for seconds, and as few as one worker takes at once.
const PAGES: usize = 6;
const RECIPIENTS: usize = PAGES * 500;
/// Requests that the push service sees between the last claim and the cut.
const BEFORE_CUT: u64 = 100;
const LOST: &str = "a page's lease was lost";

impl Fleet {
    /// How many pages somebody has claimed.
    fn claimed(&self) -> usize {
        let count = self.query("SELECT COUNT(*) FROM jobs WHERE claimed = 1");
        count.parse().expect("a number")
    }

    /// A send to everybody that is begun by the first worker alone, with which all of its pages are.
    async fn begin_with_first_worker(&self) -> String {
        for other in &self.workers[1..] {
            other.pause().await;
        }
        let send = self.broadcast(0).await;
        let has_all = async || self.claimed() == PAGES;
        wait_until(has_all, "the first worker does not have every page").await;
        self.get_under_way(BEFORE_CUT, &send).await;
        send
    }
}

/// Whom the first send reached too, for the second one.
fn once(fleet: &Fleet) -> Served {
    fleet.browsers.iter().map(|it| (it.id.clone(), 1)).collect()
}

/// Cuts off the worker that has all of a send, and joins it again when others have delivered that send.
async fn cut_off_and_join(cut: impl Fn(&DatabaseProxy), join: impl Fn(&DatabaseProxy, &Fleet)) {
    let size = FleetSize {
        apis: 1,
        workers: 0,
        recipients: RECIPIENTS,
    };
    let cluster = cluster(Durability::None);
    let proxy = DatabaseProxy::start(&cluster).await;
    let url = cluster.url(DATABASE);
    let mut fleet = Fleet::start_slow(cluster, size, &[("HATO_DATABASE_URL", &url)]).await;
    fleet.add_worker_at(&proxy.url()).await;
    fleet.add_worker().await;
    fleet.add_worker().await;

    let send = fleet.begin_with_first_worker().await;
    cut(&proxy);
    fleet.wait_until_quiet(0).await;
    let pages = fleet.claimed();
    assert_ne!(pages, 0);
    for other in &fleet.workers[1..] {
        other.resume().await;
    }
    let of_others = fleet.broadcast(0).await;
    let outcome_of_others = fleet.finish(&of_others).await;
    let outcome = fleet.finish(&send).await;
    let cut_off = &fleet.workers[0];
    wait_until_ready_is(iter::once(cut_off), 503).await;
    assert!(!cut_off.log().contains(LOST));

    let lost = fleet.lose(0);
    assert_eq!(lost.pages, pages as u64);
    join(&proxy, &fleet);
    let knows = async || cut_off.log().matches(LOST).count() == pages;
    wait_until(knows, "it does not learn of its leases").await;
    wait_until_ready_is(iter::once(cut_off), 200).await;
    assert_eq!(fleet.history(0, &send).await, outcome);
    assert_eq!(fleet.history(0, &of_others).await, outcome_of_others);
    fleet.assert_exact(&outcome, &once(&fleet), &lost);
    assert_eq!(fleet.query("SELECT COUNT(*) FROM jobs"), "0");
    deliver_with_first_worker_alone(&mut fleet).await;
}

/// It does its part as before.
async fn deliver_with_first_worker_alone(fleet: &mut Fleet) {
    for mut other in fleet.workers.drain(1..) {
        let ended = other.terminate().await;
        assert_eq!(ended.expect("it stops").code(), Some(0));
    }
    let before = fleet.served();
    let send = fleet.broadcast(0).await;
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &before, &Lost::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_its_database_refuses_settles_nothing_of_what_others_took() {
    cut_off_and_join(DatabaseProxy::close, |proxy, fleet| {
        proxy.lead_to(&fleet.cluster);
    })
    .await;
}

/// What it was about to write arrives when the others have long settled.
#[tokio::test(flavor = "multi_thread")]
async fn nor_does_one_that_hears_nothing_of_its_database() {
    cut_off_and_join(|proxy| proxy.silence(true), |proxy, _| proxy.silence(false)).await;
}
