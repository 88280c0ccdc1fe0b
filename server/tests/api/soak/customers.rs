//! Who uses the service as it is meant.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::seeded_rng::Rng;
use hato_testkit::server::HatoServer;
use http::Method;
use serde_json::json;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::CancellationToken;

use super::Soak;
use super::requests::{NOTIFY, SUBSCRIPTIONS, random_endpoint};
use crate::fixtures::{get, post, registration, send};

/// Customers at a time. Half of them make a new connection for each request.
pub const COUNT: u32 = 8;
/// The first customer's.
const FIRST_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
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

    /// What is published of all requests.
    pub fn summary(&self) -> TimeSummary {
        TimeSummary::of(self.0.values().flatten().copied().collect())
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

/// Where a customer's requests come from.
fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(FIRST_ADDRESS.to_bits() + number)
}

/// A customer's account.
pub struct CustomerAccount {
    app: OwnedApp,
    /// The session of its owner.
    session: String,
    /// To which it sends.
    browser: BrowserSubscription,
    /// Browsers that were registered with its app.
    registered: AtomicU64,
}

impl CustomerAccount {
    async fn create(server: &HatoServer, push: &PushService, number: u32) -> Self {
        let email = format!("customer{number}@example.com");
        let client = server.client().from(address(number));
        let app = OwnedApp::set_up(&client, &email).await.expect("an app");
        let session = client.log_in(&email, PASSWORD).await;
        let browser = push.subscribe(Some(&app.vapid_public_key));
        let registered = post(&app.backend, SUBSCRIPTIONS, &browser.registration()).await;
        assert_eq!(registered.status, 201, "{registered}");
        Self {
            app,
            session: session.expect("a session"),
            browser,
            registered: AtomicU64::new(1),
        }
    }

    /// Each browser that was registered is there.
    pub async fn assert_all_registered(&self) {
        let stats = get(&self.app.owner, &self.statistics_path()).await.json();
        let registered = self.registered.load(Ordering::Relaxed);
        assert_eq!(stats["activeSubscribers"], registered, "{stats}");
    }

    fn statistics_path(&self) -> String {
        format!("/api/v1/apps/{}/stats", self.app.id)
    }
}

/// All of them.
pub async fn create(server: &HatoServer, push: &PushService) -> Vec<CustomerAccount> {
    let mut accounts = Vec::new();
    for number in 0..COUNT {
        accounts.push(CustomerAccount::create(server, push, number).await);
    }
    accounts
}

/// The times of all customers, until it is over. They have a thread of their own: what strangers and the push service keep this process busy
/// with is no time of the server's.
pub fn use_service(soak: &Arc<Soak>, over: &CancellationToken, rng: &mut Rng) -> CustomerTimes {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let all = async {
        let customers =
            (0..COUNT).map(|number| use_alone(Arc::clone(soak), over.clone(), number, rng.fork()));
        let mut times = CustomerTimes::default();
        for of_one in customers.collect::<JoinSet<_>>().join_all().await {
            times.add(of_one);
        }
        times
    };
    runtime.expect("a runtime").block_on(all)
}

/// Sends to a browser, registers another one, and looks at numbers and the page of the app, again and again until it is over.
async fn use_alone(
    soak: Arc<Soak>,
    over: CancellationToken,
    number: u32,
    mut rng: Rng,
) -> CustomerTimes {
    let account = &soak.customers[number as usize];
    // Those of the app have connections that the other threads drive.
    let [backend, owner] = [&account.app.backend, &account.app.owner].map(|it| it.at(it.address()));
    // Not all of them ask at the same moment.
    let first_due = Instant::now() + REQUEST_INTERVAL * number / COUNT;
    let mut customer = Customer {
        makes_new_connections: number.is_multiple_of(2),
        requests_due: interval_at(first_due, REQUEST_INTERVAL),
        times: CustomerTimes::default(),
    };
    let stats = account.statistics_path();
    let page = format!("/apps/{}", account.app.id);
    let session = format!("hato_session={}", account.session);
    let message = json!({"title": "t", "body": "b", "endpoint": account.browser.endpoint});
    while !over.is_cancelled() {
        let (backend, owner) = (customer.client(&backend), customer.client(&owner));
        let sending = post(&backend, NOTIFY, &message);
        customer.timed("send", 202, sending).await;
        soak.results.note_sent_alone(&account.browser.id);
        // Its keys are anybody's, which this thread would have to wait for if they were made.
        let other = registration(&random_endpoint(&mut rng));
        let registering = post(&backend, SUBSCRIPTIONS, &other);
        customer.timed("registration", 201, registering).await;
        account.registered.fetch_add(1, Ordering::Relaxed);
        customer.timed("statistics", 200, get(&owner, &stats)).await;
        let cookie = [("cookie", session.as_str())];
        let looking = send(&owner, Method::GET, &page, &cookie, "");
        customer.timed("page", 200, looking).await;
    }
    customer.times
}
