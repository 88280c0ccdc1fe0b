//! A stranger's traffic: many connections from many addresses that register, send, look, listen, and talk nonsense, while a large send
//! runs and others use the service as it is meant (CONTRACT 18).
//!
//! As a test it is short and asks for no time; `make soak` makes it long, and asks.

mod customers;
mod strangers;

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions,
};
use hato_testkit::seeded_rng::{self, Rng};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout};

use crate::fixtures::{BINARY, app, env_or, get, post, start};

/// Most memory of the server, in MiB.
const MOST_MIB: u64 = 256;
/// By how much strangers may slow others down.
const MOST_SLOWER: f64 = 3.0;
/// How long a send to everybody may take.
const WAIT_TIMEOUT: Duration = Duration::from_mins(15);
/// Subscriptions that are registered with one request.
const BULK: usize = 1_000;

/// A server with an app that sends to everybody, one that everybody else uses, and what is known of both.
struct Soak {
    server: HatoServer,
    push: PushService,
    /// Its sends are large.
    large: OwnedApp,
    browsers: Vec<BrowserSubscription>,
    /// Customers and strangers register with it and send.
    small: OwnedApp,
    /// A key of the small app that stands in its pages, and a stolen one of the large app.
    page_key: String,
    full_key: String,
    tally: Tally,
    is_over: AtomicBool,
}

/// What came of all requests.
#[derive(Default)]
struct Tally {
    /// How many answers there were of each status.
    statuses: Mutex<HashMap<u16, u64>>,
    /// What nobody may be answered.
    wrong: Mutex<Vec<String>>,
    /// Subscriptions that were registered with the small app.
    registered: Mutex<u64>,
    /// How many messages each browser has coming from sends to it alone.
    sent_alone: Mutex<HashMap<String, u64>>,
}

impl Tally {
    /// Takes note of an answer: a 5xx has to be a limit that is stated.
    fn count(&self, what: &str, status: u16, answer: &str) {
        *lock(&self.statuses).entry(status).or_default() += 1;
        if status >= 500 && !(status == 503 && answer.contains("OVERLOADED")) {
            lock(&self.wrong).push(format!("{what}: {status} {answer}"));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics with it")
}

impl Soak {
    async fn start(database: TestDatabase, recipients: usize) -> Self {
        let options = PushServiceOptions {
            decryption: Decryption::CountOnly,
            ..PushServiceOptions::default()
        };
        let push = PushService::start_with(options).await;
        let push = push.expect("a push service");
        let program = std::env::var("HATO_SOAK_SERVER").unwrap_or_else(|_| BINARY.to_owned());
        let launch = ServerLaunch::on(program, database)
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro");
        let server = start(launch).await;
        let large = app(&server, "large@example.com").await;
        let small = app(&server, "small@example.com").await;
        let page_key = small.owner.create_key(&small.id, "page", "subscribe_only");
        let full_key = large.owner.create_key(&large.id, "stolen", "full");
        let browsers = push.subscribe_many(Some(&large.vapid_public_key), recipients);
        register(&large, &browsers).await;
        Self {
            page_key: page_key.await.expect("a key"),
            full_key: full_key.await.expect("a key"),
            server,
            push,
            large,
            browsers,
            small,
            tally: Tally::default(),
            is_over: AtomicBool::new(false),
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Sends to everybody, one send after the other, for so long and to the end of the last one. Returns how many sends there were.
    async fn send_to_all(&self, time: Duration) -> u64 {
        let end = Instant::now() + time;
        let mut sends = 0;
        while sends == 0 || Instant::now() < end {
            let message = json!({"title": "t", "body": "b"});
            let reply = post(&self.large.backend, "/api/v1/notify", &message).await;
            assert_eq!(reply.json()["queued"], self.browsers.len(), "{reply}");
            let send = reply.json()["send_id"].as_str().expect("an id").to_owned();
            self.finish(&send).await;
            sends += 1;
        }
        sends
    }

    /// Waits for the end of a send, by which everybody has been sent it.
    async fn finish(&self, send: &str) {
        let path = format!("/api/v1/apps/{}/notifications/{send}", self.large.id);
        until(async || {
            let item = get(&self.large.owner, &path).await.json();
            let is_done = item["status"] == "done";
            assert!(
                !is_done || item["sent_count"] == self.browsers.len(),
                "{item}"
            );
            is_done
        })
        .await;
    }

    /// The times of the customers' requests while a send to everybody runs, and how many sends there were; with so many strangers.
    async fn measure(self: &Arc<Self>, strangers: u32, rng: &mut Rng) -> (Vec<Duration>, u64) {
        self.is_over.store(false, Ordering::Relaxed);
        let mut tasks = JoinSet::new();
        for number in 0..strangers {
            tasks.spawn(strangers::bother(Arc::clone(self), number, rng.fork()));
        }
        let mut customers = JoinSet::new();
        for number in 0..customers::COUNT {
            customers.spawn(customers::use_service(Arc::clone(self), number));
        }
        let time = Duration::from_secs(env_or("HATO_SOAK_SECONDS", 2));
        let sends = self.send_to_all(time).await;
        self.is_over.store(true, Ordering::Relaxed);
        let times = customers.join_all().await.into_iter().flatten().collect();
        tasks.join_all().await;
        (times, sends)
    }

    /// Everybody has got each send to everybody, and each send to them alone.
    async fn assert_nothing_lost(&self, sends: u64) {
        for browser in &self.browsers {
            let copies = self.push.seen(|seen| seen.counts(&browser.id).created);
            assert_eq!(copies, sends, "{}", browser.endpoint);
        }
        let alone = lock(&self.tally.sent_alone).clone();
        let has_come =
            |id: &String, count: u64| self.push.seen(|seen| seen.counts(id).created) == count;
        until(async || alone.iter().all(|(id, count)| has_come(id, *count))).await;
        let path = format!("/api/v1/apps/{}/stats", self.small.id);
        let stats = get(&self.small.owner, &path).await.json();
        // Some strangers left before they were answered.
        let registered = *lock(&self.tally.registered);
        assert!(
            stats["activeSubscribers"].as_u64() >= Some(registered),
            "{registered}: {stats}"
        );
        self.push.assert_no_violations();
    }

    /// The most memory that the server had so far, in MiB.
    fn peak_memory(&self) -> u64 {
        let id = self.server.process_id().expect("it runs");
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kib: Option<u64> = kib.and_then(|kib| kib.trim().parse().ok());
        kib.expect("a number") / 1_024
    }
}

async fn register(app: &OwnedApp, browsers: &[BrowserSubscription]) {
    let path = format!("/api/v1/apps/{}/subscriptions/bulk", app.id);
    for share in browsers.chunks(BULK) {
        let items = share.iter().map(BrowserSubscription::registration);
        let items: Vec<Value> = items.collect();
        let reply = post(&app.admin, &path, &json!({ "items": items })).await;
        assert_eq!(reply.status, 200, "{reply}");
    }
}

/// Waits until it is so.
async fn until(is_so: impl AsyncFn() -> bool) {
    let mut ticks = interval(Duration::from_millis(200));
    let waiting = async {
        while !is_so().await {
            ticks.tick().await;
        }
    };
    timeout(WAIT_TIMEOUT, waiting)
        .await
        .expect("it is so at last");
}

/// The time within which 99 of 100 were answered, in milliseconds.
fn percentile_99(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times[(times.len() * 99 / 100).min(last)].as_secs_f64() * 1e3
}

#[on_each_database(flavor = "multi_thread")]
async fn strangers_cost_nobody_anything(database: TestDatabase) {
    let mut rng = seeded_rng::from_env();
    let recipients = usize::try_from(env_or("HATO_RECIPIENTS", 1_000)).expect("not so many");
    let strangers = u32::try_from(env_or("HATO_SOAK_CONNECTIONS", 60)).expect("not so many");
    let soak = Arc::new(Soak::start(database, recipients).await);
    let (alone, first) = soak.measure(0, &mut rng).await;
    let (beside, second) = soak.measure(strangers, &mut rng).await;
    let requests = alone.len() + beside.len();
    let (alone, beside) = (percentile_99(alone), percentile_99(beside));
    soak.assert_nothing_lost(first + second).await;
    let wrong = lock(&soak.tally.wrong).clone();
    assert!(
        wrong.is_empty(),
        "{} answers: {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(10)]
    );
    let (memory, statuses) = (soak.peak_memory(), lock(&soak.tally.statuses).clone());
    println!(
        "{strangers} strangers, {} sends to {recipients}, {requests} requests of customers: p99 {alone:.1} ms, with strangers \
         {beside:.1} ms, {memory} MiB at most, answers {statuses:?}, 0 lost",
        first + second,
    );
    assert!(memory <= MOST_MIB, "{memory} MiB");
    // How long something takes is no matter of every test run.
    if std::env::var_os("HATO_SOAK_SECONDS").is_some() {
        assert!(
            beside <= alone * MOST_SLOWER,
            "{beside} ms, and {alone} ms alone"
        );
    }
}
