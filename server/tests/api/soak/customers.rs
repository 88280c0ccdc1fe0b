//! Who uses the service as it is meant.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hato_testkit::client::{Client, Reply};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{Soak, lock};
use crate::fixtures::{get, post};

/// Customers at a time. Half of them make a new connection for each request.
pub const COUNT: usize = 8;
/// How long each waits before its next request.
const REQUEST_DELAY: Duration = Duration::from_millis(20);

/// The times that answers took, by the kind of request.
#[derive(Default)]
pub struct CustomerTimes(BTreeMap<&'static str, Vec<Duration>>);

impl CustomerTimes {
    pub fn add(&mut self, others: Self) {
        for (kind, times) in others.0 {
            self.0.entry(kind).or_default().extend(times);
        }
    }

    /// How many requests there were of each kind, and the time within which 99 of 100 were answered, in milliseconds.
    pub fn percentiles(self) -> BTreeMap<&'static str, (usize, f64)> {
        let kinds = self.0.into_iter();
        kinds
            .map(|(kind, times)| (kind, (times.len(), percentile_99(times))))
            .collect()
    }
}

fn percentile_99(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times[(times.len() * 99 / 100).min(last)].as_secs_f64() * 1e3
}

struct Customer {
    makes_new_connections: bool,
    times: CustomerTimes,
}

impl Customer {
    /// The client, with connections that were used before or without.
    fn client(&self, client: &Client) -> Client {
        if self.makes_new_connections {
            client.at(client.address())
        } else {
            client.clone()
        }
    }

    /// The answer, which has to have this status, and takes its time.
    async fn timed(
        &mut self,
        kind: &'static str,
        status: u16,
        answer: impl Future<Output = Reply>,
    ) {
        sleep(REQUEST_DELAY).await;
        let start = Instant::now();
        let reply = answer.await;
        let elapsed = start.elapsed();
        assert_eq!(reply.status, status, "a customer's {kind}: {reply}");
        self.times.0.entry(kind).or_default().push(elapsed);
    }
}

/// Registers a browser, sends to it, and looks at numbers and a page, again and again until it is over.
pub async fn use_service(soak: Arc<Soak>, over: CancellationToken, number: usize) -> CustomerTimes {
    let mut customer = Customer {
        makes_new_connections: number.is_multiple_of(2),
        times: CustomerTimes::default(),
    };
    let browser = soak.push.subscribe(Some(&soak.small.vapid_public_key));
    let registration = browser.registration();
    let first = post(&soak.small.backend, "/api/v1/subscriptions", &registration).await;
    assert_eq!(first.status, 201, "{first}");
    *lock(&soak.results.registered) += 1;
    let stats = format!("/api/v1/apps/{}/stats", soak.small.id);
    let message = json!({"title": "t", "body": "b", "endpoint": browser.endpoint});
    while !over.is_cancelled() {
        let backend = customer.client(&soak.small.backend);
        let owner = customer.client(&soak.small.owner);
        let send = post(&backend, "/api/v1/notify", &message);
        customer.timed("send", 202, send).await;
        soak.results.note_sent_alone(&browser.id);
        let again = post(&backend, "/api/v1/subscriptions", &registration);
        customer.timed("registration", 200, again).await;
        customer.timed("statistics", 200, get(&owner, &stats)).await;
        customer.timed("page", 200, get(&backend, "/pricing")).await;
    }
    customer.times
}
