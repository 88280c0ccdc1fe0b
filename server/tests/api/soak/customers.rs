//! Who uses the service as it is meant.

use std::sync::Arc;
use std::time::Duration;

use hato_testkit::client::Reply;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Soak, lock};
use crate::fixtures::{get, post};

/// Customers at a time.
pub const COUNT: usize = 4;
/// How long each waits before its next request.
const REQUEST_DELAY: Duration = Duration::from_millis(20);

/// Registers a browser, sends to it, and looks at a page, again and again; the times that the answers took.
pub async fn use_service(soak: Arc<Soak>, number: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    let browser = soak.push.subscribe(Some(&soak.small.vapid_public_key));
    let (backend, registration) = (&soak.small.backend, browser.registration());
    let register = || post(backend, "/api/v1/subscriptions", &registration);
    let reply = timed(&mut times, register()).await;
    assert_eq!(reply.status, 201, "{reply}");
    *lock(&soak.tally.registered) += 1;
    while !soak.is_over() {
        let message = json!({"title": "t", "body": "b", "endpoint": browser.endpoint});
        let reply = timed(&mut times, post(backend, "/api/v1/notify", &message)).await;
        assert_eq!(reply.status, 202, "customer {number}: {reply}");
        *lock(&soak.tally.sent_alone)
            .entry(browser.id.clone())
            .or_default() += 1;
        let reply = timed(&mut times, register()).await;
        assert_eq!(reply.status, 200, "customer {number}: {reply}");
        let path = format!("/api/v1/apps/{}/stats", soak.small.id);
        for (client, path) in [(&soak.small.owner, path.as_str()), (backend, "/pricing")] {
            let reply = timed(&mut times, get(client, path)).await;
            assert_eq!(reply.status, 200, "customer {number}: {reply}");
        }
    }
    times
}

async fn timed(times: &mut Vec<Duration>, answer: impl Future<Output = Reply>) -> Reply {
    sleep(REQUEST_DELAY).await;
    let start = Instant::now();
    let reply = answer.await;
    times.push(start.elapsed());
    reply
}
