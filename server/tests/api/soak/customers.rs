//! Who uses the service as it is meant.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hato_testkit::client::{Client, Reply};
use serde_json::json;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::CancellationToken;

use super::{Soak, lock};
use crate::fixtures::{get, post};

/// Customers at a time. Half of them make a new connection for each request.
pub const COUNT: u32 = 8;
/// The time from one request of a customer to the next, which is due whether the one before was answered or not.
const REQUEST_INTERVAL: Duration = Duration::from_millis(250);

/// The times from when requests were due to their answers, by the kind of request. A request that waits for the answer to the one before
/// waits from when it was due, so a standstill is in the times of all that would have come in it.
#[derive(Default)]
pub struct CustomerTimes(BTreeMap<&'static str, Vec<Duration>>);

impl CustomerTimes {
    pub fn add(&mut self, others: Self) {
        for (kind, times) in others.0 {
            self.0.entry(kind).or_default().extend(times);
        }
    }

    /// What is published of each kind of request.
    pub fn summaries(self) -> BTreeMap<&'static str, TimeSummary> {
        let kinds = self.0.into_iter();
        kinds
            .map(|(kind, times)| (kind, TimeSummary::of(times)))
            .collect()
    }
}

/// The times of one kind of request, in milliseconds.
pub struct TimeSummary {
    pub count: usize,
    /// 99 of 100 took no longer.
    pub p99: f64,
    pub longest: f64,
}

impl TimeSummary {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let last = times.len().saturating_sub(1);
        let milliseconds = |index: usize| times[index].as_secs_f64() * 1e3;
        Self {
            count: times.len(),
            p99: milliseconds((times.len() * 99 / 100).min(last)),
            longest: milliseconds(last),
        }
    }
}

/// Three cells of a table.
impl fmt::Display for TimeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            count,
            p99,
            longest,
        } = self;
        write!(f, "{count} | {p99:.1} ms | {longest:.1} ms")
    }
}

struct Customer {
    makes_new_connections: bool,
    requests_due: Interval,
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

    /// Asks when the next request is due. The answer has to have this status.
    async fn timed(
        &mut self,
        kind: &'static str,
        status: u16,
        answer: impl Future<Output = Reply>,
    ) {
        let due = self.requests_due.tick().await;
        let reply = answer.await;
        let elapsed = due.elapsed();
        assert_eq!(reply.status, status, "a customer's {kind}: {reply}");
        self.times.0.entry(kind).or_default().push(elapsed);
    }
}

/// The times of all customers, until it is over. They have a thread of their own: what strangers and the push service keep this process busy
/// with is no time of the server's.
pub fn use_service(soak: &Arc<Soak>, over: &CancellationToken) -> CustomerTimes {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let all = async {
        let customers = (0..COUNT).map(|number| use_alone(Arc::clone(soak), over.clone(), number));
        let mut times = CustomerTimes::default();
        for of_one in customers.collect::<JoinSet<_>>().join_all().await {
            times.add(of_one);
        }
        times
    };
    runtime.expect("a runtime").block_on(all)
}

/// Registers a browser, sends to it, and looks at numbers and a page, again and again until it is over.
async fn use_alone(soak: Arc<Soak>, over: CancellationToken, number: u32) -> CustomerTimes {
    // Those of the app have connections that the other threads drive.
    let [backend, owner] = [&soak.small.backend, &soak.small.owner].map(|it| it.at(it.address()));
    let browser = soak.push.subscribe(Some(&soak.small.vapid_public_key));
    let registration = browser.registration();
    let first = post(&backend, "/api/v1/subscriptions", &registration).await;
    assert_eq!(first.status, 201, "{first}");
    *lock(&soak.results.registered) += 1;
    // Not all of them ask at the same moment.
    let first_due = Instant::now() + REQUEST_INTERVAL * number / COUNT;
    let mut customer = Customer {
        makes_new_connections: number.is_multiple_of(2),
        requests_due: interval_at(first_due, REQUEST_INTERVAL),
        times: CustomerTimes::default(),
    };
    let stats = format!("/api/v1/apps/{}/stats", soak.small.id);
    let message = json!({"title": "t", "body": "b", "endpoint": browser.endpoint});
    while !over.is_cancelled() {
        let (backend, owner) = (customer.client(&backend), customer.client(&owner));
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
