//! Faults that certainly hit a send: the push service is slow, and somebody has pages of the send when they come.

use hato_cluster::{Cluster, Durability};
use hato_testkit::push_service::PushServiceOptions;

use crate::fixtures::{DATABASE, Fleet, FleetSize, cluster, counting, push_service};

/// So few that a send takes seconds longer than what is done to it.
const REQUESTS_PER_SECOND: u32 = 400;

impl Fleet {
    /// A fleet with such a push service.
    pub async fn start_with_push_service(size: FleetSize, options: PushServiceOptions) -> Self {
        let cluster = cluster(Durability::None);
        let url = cluster.url(DATABASE);
        let push = push_service(options).await;
        Self::start_at(push, cluster, size, &[("HATO_DATABASE_URL", &*url)]).await
    }

    /// A fleet as of [`Fleet::start_on`], with a push service that is slow.
    pub async fn start_slow(cluster: Cluster, size: FleetSize, settings: &[(&str, &str)]) -> Self {
        let slow = PushServiceOptions {
            requests_per_second: Some(REQUESTS_PER_SECOND),
            ..counting()
        };
        Self::start_at(push_service(slow).await, cluster, size, settings).await
    }

    /// Waits until the push service has seen so many further requests. A fault that comes now hits the send.
    pub async fn get_under_way(&self, further: u64, send: &str) {
        let is_under_way = self.reaches(further, send).await;
        assert!(is_under_way, "{send} is done before the fault");
        self.assert_under_way(send);
    }

    /// Somebody has pages of the send.
    pub fn assert_under_way(&self, send: &str) {
        let is_claimed =
            format!("SELECT EXISTS (SELECT FROM jobs WHERE send_id = '{send}' AND claimed = 1)");
        assert_eq!(self.query(&is_claimed), "t", "nobody has pages of {send}");
    }
}
