//! Faults that certainly hit a send: the push service is slow, and somebody has pages of the send when they come.

use hato_cluster::{Cluster, Durability};
use hato_testkit::push_service::PushServiceOptions;

use crate::fixtures::{DATABASE, Fleet, FleetSize, cluster, counting, push_service, wait_until};

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

    /// Waits until the push service has seen so many further requests and somebody has pages of the send. A fault that comes now hits it.
    pub async fn get_under_way(&self, further: u64, send: &str) {
        let is_under_way = self.reaches(further, send).await;
        assert!(is_under_way, "{send} is done before the fault");
        // Requests may be of other sends, while all that is left of this one waits for its turn at the push service.
        let is_claimed = async || self.has_jobs(send, "claimed = 1");
        wait_until(is_claimed, "nobody has pages of it").await;
    }

    /// Some of the send is still to be delivered.
    pub fn assert_unfinished(&self, send: &str) {
        assert!(self.has_jobs(send, "TRUE"), "{send} is done");
    }

    fn has_jobs(&self, send: &str, condition: &str) -> bool {
        let query =
            format!("SELECT EXISTS (SELECT FROM jobs WHERE send_id = '{send}' AND {condition})");
        self.query(&query) == "t"
    }
}
