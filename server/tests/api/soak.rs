//! A stranger's traffic: many connections from many addresses that register, send, look, listen, and talk nonsense, while a large send
//! runs and others use the service as it is meant (CONTRACT 18).
//!
//! As a test it is short and asks for no time; `make soak` makes it long, and asks.

mod customers;
mod deed;
mod raw_response;
mod report;
mod requests;
mod results;
mod stranger_app;
mod strangers;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hato_testkit::client::Client;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions,
};
use hato_testkit::seeded_rng::{self, Rng};
use hato_testkit::server::{HatoServer, ServerLaunch, series_value};
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, interval, timeout};
use tokio_util::sync::CancellationToken;

use self::customers::{CustomerAccount, CustomerTimes};
use self::report::SoakReport;
use self::results::SoakResults;
use self::stranger_app::StrangerApp;
use crate::fixtures::{app, env_or, get, post, register_in_bulk, start, tested_program};
use crate::metrics::scrape;
use crate::process;

/// Most memory of the server, in bytes.
const MOST_BYTES: u64 = 256_000_000;
/// By how much strangers may slow others down.
const MOST_SLOWER: f64 = 3.0;
/// How long a send to everybody may take, and strangers until each has had its answer.
const WAIT_TIMEOUT: Duration = Duration::from_mins(15);
/// The time between two counts of the connections, for which a table of all that the machine has is read.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);

/// How large it is, and how long.
struct SoakExtent {
    recipients: usize,
    /// Connections that have to be open at a time.
    connections: usize,
    /// Some of their connections are closed again and again, so there are more of them.
    strangers: usize,
    /// In the course of which they come, as they come later, of whom each stays for up to 3 s after its answer.
    arrival: Duration,
    /// How long each measurement takes.
    time: Duration,
    /// Whether time-outs of the server's are waited for, and the customers' times are judged.
    is_long: bool,
}

impl SoakExtent {
    fn from_env() -> Self {
        let number = |name, usual| usize::try_from(env_or(name, usual)).expect("not so many");
        let connections = number("HATO_SOAK_CONNECTIONS", 60);
        Self {
            recipients: number("HATO_RECIPIENTS", 1_000),
            connections,
            strangers: connections + connections / 10,
            arrival: Duration::from_secs(env_or("HATO_SOAK_ARRIVAL_SECONDS", 3)),
            time: Duration::from_secs(env_or("HATO_SOAK_SECONDS", 2)),
            is_long: std::env::var_os("HATO_SOAK_SECONDS").is_some(),
        }
    }
}

/// A server with an app that sends to everybody, one that everybody else uses, those of strangers, and what is known of them.
struct Soak {
    extent: SoakExtent,
    server: HatoServer,
    metrics: Client,
    push: PushService,
    /// Its sends are large.
    large: OwnedApp,
    browsers: Vec<BrowserSubscription>,
    /// Strangers register with it.
    small: OwnedApp,
    customers: Vec<CustomerAccount>,
    /// A key of the small app that stands in its pages, and a stolen one of the large app.
    page_key: String,
    full_key: String,
    /// A stolen session of the large app's owner.
    session: String,
    /// The path of the wasm module that runs in the pages.
    largest_file: String,
    /// The large send that runs.
    running: Mutex<Option<String>>,
    stranger_apps: Vec<StrangerApp>,
    results: SoakResults,
}

/// The wasm module, beside the style sheet that every page names.
async fn largest_file(server: &HatoServer) -> String {
    let page = server.client().get("/login").await.expect("an answer");
    let page = String::from_utf8_lossy(&page.body).into_owned();
    let (before, _) = page.split_once(".css").expect("a page with a style");
    let start = before.rfind("/pkg/").expect("the folder of the site");
    format!("{}.wasm", &before[start..])
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics with it")
}

impl Soak {
    async fn start(database: TestDatabase, extent: SoakExtent) -> Self {
        let options = PushServiceOptions {
            decryption: Decryption::CountOnly,
            ..PushServiceOptions::default()
        };
        let push = PushService::start_with(options).await;
        let push = push.expect("a push service");
        let launch = ServerLaunch::on(tested_program(), database)
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro")
            .env("HATO_METRICS_LISTEN", "127.0.0.1:0");
        let server = start(launch).await;
        let metrics = server.metrics_client();
        let large = app(&server, "large@example.com").await;
        let small = app(&server, "small@example.com").await;
        let page_key = small.owner.create_key(&small.id, "page", "subscribe_only");
        let full_key = large.owner.create_key(&large.id, "stolen", "full");
        let session = server.client().log_in("large@example.com", PASSWORD).await;
        let browsers = push.subscribe_many(Some(&large.vapid_public_key), extent.recipients);
        register_in_bulk(&large.admin, &large.id, &browsers).await;
        Self {
            page_key: page_key.await.expect("a key"),
            full_key: full_key.await.expect("a key"),
            session: session.expect("a session"),
            largest_file: largest_file(&server).await,
            running: Mutex::default(),
            customers: customers::create(&server, &push).await,
            stranger_apps: stranger_app::create(&server, &push, extent.strangers).await,
            extent,
            server,
            metrics,
            push,
            large,
            browsers,
            small,
            results: SoakResults::default(),
        }
    }

    fn export_path(&self) -> String {
        format!("/api/v1/apps/{}/export", self.large.id)
    }

    /// The longest page of a list that there is.
    fn subscriptions_path(&self) -> String {
        format!("/api/v1/apps/{}/subscriptions?limit=100", self.large.id)
    }

    /// Sends to everybody, one send after the other, for so long, until all strangers were there, and to the end of the last one.
    async fn send_to_all(&self, time: Duration, has_strangers: bool) {
        let start = Instant::now();
        loop {
            let message = json!({"title": "t", "body": "b"});
            let reply = post(&self.large.backend, "/api/v1/notify", &message).await;
            assert_eq!(reply.json()["queued"], self.browsers.len(), "{reply}");
            let send = reply.json()["send_id"].as_str().expect("an id").to_owned();
            *lock(&self.running) = Some(send.clone());
            self.finish(&send).await;
            *lock(&self.running) = None;
            self.results.sends.fetch_add(1, Ordering::Relaxed);
            let missing = has_strangers.then(|| self.missing()).flatten();
            if missing.is_none() && start.elapsed() >= time {
                return;
            }
            if let Some(missing) = &missing {
                println!("not after {:?}: {missing}", start.elapsed());
            }
            let in_time = start.elapsed() < time.max(WAIT_TIMEOUT);
            assert!(missing.is_none() || in_time, "{missing:?}");
        }
    }

    /// What has to be seen of the strangers, if not all of it was.
    fn missing(&self) -> Option<String> {
        let peak = self.results.peak_connections();
        if peak < self.extent.connections {
            return Some(format!("{peak} connections at a time"));
        }
        let missing = self.results.missing(self.extent.is_long);
        (!missing.is_empty()).then(|| format!("{missing:?}"))
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

    /// The times of the customers' requests while sends to everybody run for so long, beside so many strangers.
    async fn measure(
        self: &Arc<Self>,
        strangers: usize,
        time: Duration,
        rng: &mut Rng,
    ) -> CustomerTimes {
        let over = CancellationToken::new();
        let mut tasks = JoinSet::new();
        for number in 0..strangers {
            let (soak, over) = (Arc::clone(self), over.clone());
            tasks.spawn(strangers::bother(soak, over, number, rng.fork()));
        }
        if strangers > 0 {
            tasks.spawn(Arc::clone(self).watch_connections(over.clone()));
        }
        let (soak, until, mut of_customers) = (Arc::clone(self), over.clone(), rng.fork());
        let customers =
            spawn_blocking(move || customers::use_service(&soak, &until, &mut of_customers));
        self.send_to_all(time, strangers > 0).await;
        over.cancel();
        let times = customers.await.expect("every request is answered");
        tasks.join_all().await;
        times
    }

    async fn watch_connections(self: Arc<Self>, over: CancellationToken) {
        let mut polls = interval(WATCH_INTERVAL);
        while over.run_until_cancelled(polls.tick()).await.is_some() {
            let open = process::open_connections(&self.server);
            self.results.note_connections(open);
        }
    }

    /// Everybody has got each send to everybody, each send to them alone, and those of strangers. How many messages came once more to
    /// those whose sends are counted.
    async fn assert_nothing_lost(&self) -> u32 {
        let sends = self.results.sends.load(Ordering::Relaxed);
        let created = |id: &str| self.push.seen(|seen| seen.counts(id).created);
        let mut extra = 0;
        for browser in &self.browsers {
            let copies = created(&browser.id);
            assert!(copies >= sends, "{copies} of {sends}: {}", browser.endpoint);
            extra += copies - sends;
        }
        let alone = lock(&self.results.sent_alone).clone();
        until(async || alone.iter().all(|(id, count)| created(id) >= *count)).await;
        for (id, count) in &alone {
            extra += created(id) - count;
        }
        let are_delivered = || {
            self.stranger_apps
                .iter()
                .all(|it| it.is_delivered(&self.push))
        };
        until(async || are_delivered()).await;
        for customer in &self.customers {
            customer.assert_all_registered().await;
        }
        let path = format!("/api/v1/apps/{}/stats", self.small.id);
        let stats = get(&self.small.owner, &path).await.json();
        // Some strangers left before they were answered.
        let registered = *lock(&self.results.registered);
        assert!(
            stats["activeSubscribers"].as_u64() >= Some(registered),
            "{registered}: {stats}"
        );
        self.push.assert_no_violations();
        u32::try_from(extra).expect("not so many")
    }

    /// No more messages came once more than the server had to try again, and none did unless it is long: then the push service, which
    /// shares the processor with everybody, may leave some without an answer.
    async fn assert_explained(&self, extra: u32) {
        assert!(self.extent.is_long || extra == 0, "{extra} copies");
        let text = scrape(&self.metrics).await;
        let retried = series_value(&text, "hato_deliveries_total{outcome=\"retried\"}");
        let is_explained = retried >= Some(f64::from(extra));
        assert!(is_explained, "{extra} copies, {retried:?} tried again");
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

#[on_each_database(flavor = "multi_thread")]
async fn strangers_cost_nobody_anything(database: TestDatabase) {
    let mut rng = seeded_rng::from_env();
    let soak = Arc::new(Soak::start(database, SoakExtent::from_env()).await);
    let report = SoakReport::measure(&soak, &mut rng).await;
    let extra = soak.assert_nothing_lost().await;
    println!("{}", report.tables(&soak, extra));
    soak.assert_explained(extra).await;
    soak.results.assert_legal();
    assert!(report.memory <= MOST_BYTES, "{} bytes", report.memory);
    // How long something takes is no matter of every test run.
    if soak.extent.is_long {
        report.assert_not_slower(MOST_SLOWER);
        let median = soak.results.median_connections();
        assert!(median >= soak.extent.connections, "{median} connections");
        let (served, all) = (soak.results.served(), soak.extent.strangers);
        assert!(10 * served >= 9 * all, "{served} of {all} were served");
    }
}
