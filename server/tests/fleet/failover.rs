//! A primary that dies, and its standby that takes its place.

use hato_cluster::Durability;

use crate::database_proxy::DatabaseProxy;
use crate::fixtures::{Fleet, FleetSize, cluster, message, wait_until_logged, wait_until_ready_is};

const RECIPIENTS: usize = 4_000;
/// Requests that the push service has seen when the primary dies.
const BEFORE_FAILURE: u64 = 1_000;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_outlives_its_primary() {
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: RECIPIENTS,
    };
    let primary = cluster(Durability::Full);
    let standby = primary.start_standby(Durability::Full).expect("a standby");
    let proxy = DatabaseProxy::start(&primary).await;
    let url = proxy.url();
    let mut fleet = Fleet::start_slow(primary, size, &[("HATO_DATABASE_URL", &url)]).await;
    let traffic = fleet.begin_traffic().await;
    fleet.get_under_way(BEFORE_FAILURE, &traffic.send).await;

    fleet.cluster.kill().expect("killed");
    proxy.lead_to(&standby);
    let client = fleet.at(&fleet.app.backend, 1);
    let refused = client.post("/api/v1/notify", &message()).await;
    let refused = refused.expect("an answer");
    assert_eq!(refused.status, 500, "{refused}");
    assert_eq!(refused.code(), "INTERNAL_ERROR");
    wait_until_logged(&fleet.apis[1], "during recovery").await;
    standby.promote().expect("promoted");
    fleet.cluster = standby;

    wait_until_ready_is(fleet.servers(), 200).await;
    let is_read_only = fleet.query("SHOW transaction_read_only");
    assert_eq!(is_read_only, "off");
    fleet
        .assert_traffic_exact(traffic, Fleet::lose_of_earlier_databases)
        .await;
}
