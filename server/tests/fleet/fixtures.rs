//! A fleet over a PostgreSQL of its own, and an app with subscribers.

use std::time::Duration;

use hato_cluster::{Cluster, Durability};
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{
    BrowserSubscription, Decryption, PushService, PushServiceOptions,
};
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::claims::named;

/// The database of a fleet.
pub const DATABASE: &str = "fleet";

/// How long a condition may take to hold: leases that end included.
pub const WAIT_TIMEOUT: Duration = Duration::from_mins(3);
/// Between two looks at it.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How many processes there are, and how many subscribers.
pub struct FleetSize {
    pub apis: usize,
    pub workers: usize,
    pub recipients: usize,
}

/// Processes over one database, an app and its subscribers.
pub struct Fleet {
    pub apis: Vec<HatoServer>,
    pub workers: Vec<HatoServer>,
    pub cluster: Cluster,
    pub push: PushService,
    pub app: OwnedApp,
    pub browsers: Vec<BrowserSubscription>,
    launch: ServerLaunch,
}

/// A cluster with the fleet's database, still without tables.
pub fn cluster(durability: Durability) -> Cluster {
    let cluster = Cluster::start(durability).unwrap_or_else(|error| panic!("{error}"));
    cluster.create_database(DATABASE).expect("a database");
    cluster
}

impl Fleet {
    /// A fleet on a PostgreSQL of its own.
    pub async fn start(durability: Durability, size: FleetSize) -> Self {
        Self::start_with(durability, size, &[]).await
    }

    /// The same with these settings.
    pub async fn start_with(
        durability: Durability,
        size: FleetSize,
        settings: &[(&str, &str)],
    ) -> Self {
        let cluster = cluster(durability);
        let url = cluster.url(DATABASE);
        let settings = [&[("HATO_DATABASE_URL", &*url)], settings].concat();
        Self::start_on(cluster, size, &settings).await
    }

    /// A fleet whose processes find the cluster's database by the settings.
    pub async fn start_on(cluster: Cluster, size: FleetSize, settings: &[(&str, &str)]) -> Self {
        Self::start_at(push_service(counting()).await, cluster, size, settings).await
    }

    /// The same with this push service.
    pub async fn start_at(
        push: PushService,
        cluster: Cluster,
        size: FleetSize,
        settings: &[(&str, &str)],
    ) -> Self {
        let launch = settings
            .iter()
            .fold(launch(&push), |launch, (name, value)| {
                launch.env(name, *value)
            });
        let first = start(&launch, "api").await;
        let app = OwnedApp::set_up(&first.client(), "owner@example.com").await;
        let app = app.expect("an app");
        let mut fleet = Self {
            browsers: push.subscribe_many(Some(&app.vapid_public_key), size.recipients),
            apis: vec![first],
            workers: Vec::new(),
            cluster,
            push,
            app,
            launch,
        };
        fleet.seed();
        fleet.watch_claims();
        for _ in 1..size.apis {
            fleet.add_api().await;
        }
        for _ in 0..size.workers {
            fleet.add_worker().await;
        }
        fleet
    }

    /// Starts another process that serves the API.
    pub async fn add_api(&mut self) {
        self.apis.push(start(&self.launch, "api").await);
    }

    /// Starts another process that delivers, and waits until it hears the others.
    pub async fn add_worker(&mut self) {
        self.add_worker_as(self.launch.clone()).await;
    }

    /// The same, by which the database is found at this URL.
    pub async fn add_worker_at(&mut self, url: &str) {
        let launch = self.launch.clone().env("HATO_DATABASE_URL", url);
        self.add_worker_as(launch).await;
    }

    /// Starts another process that delivers, and hears nobody: it finds its work by asking again and again.
    pub async fn add_polling_worker(&mut self) {
        let launch = named(self.launch.clone());
        self.workers.push(start(&launch, "worker").await);
    }

    async fn add_worker_as(&mut self, launch: ServerLaunch) {
        let worker = start(&named(launch), "worker").await;
        wait_until_logged(&worker, "wake-ups of other processes are heard").await;
        self.workers.push(worker);
    }

    /// Starts a worker that has ended again: another process, by another name.
    pub async fn restart_worker(&mut self, worker: usize) {
        let launch = named(self.workers[worker].launch().clone());
        self.workers[worker] = start(&launch, "worker").await;
    }

    /// Kills a process that serves the API, and starts it again at the same address.
    pub async fn restart_api(&mut self, api: usize) {
        let address = self.apis[api].address().to_string();
        self.apis[api].kill().await;
        let launch = self.launch.clone().env("HATO_LISTEN", address);
        self.apis[api] = start(&launch, "api").await;
    }

    /// The processes of the fleet, `api` and `worker` alike.
    pub fn servers(&self) -> impl Iterator<Item = &HatoServer> {
        self.apis.iter().chain(&self.workers)
    }

    /// The client, at one of the processes that serve the API.
    pub fn at(&self, client: &Client, api: usize) -> Client {
        client.at(self.apis[api].address())
    }

    /// What a statement answers, with psql.
    pub fn query(&self, statement: &str) -> String {
        self.cluster.query(DATABASE, statement).expect("answered")
    }

    /// Sends to everyone through one of the API's processes, and returns the send's id.
    pub async fn broadcast(&self, api: usize) -> String {
        self.send(api, &message(), self.browsers.len()).await
    }

    /// Sends the message, which so many are to get, through one of the API's processes, and returns the send's id.
    pub async fn send(&self, api: usize, message: &Value, recipients: usize) -> String {
        let client = self.at(&self.app.backend, api);
        let reply = client.post("/api/v1/notify", message).await;
        let reply = reply.expect("an answer");
        assert_eq!(reply.status, 202, "{reply}");
        let accepted = reply.json();
        assert_eq!(accepted["queued"], recipients);
        accepted["send_id"].as_str().expect("an id").to_owned()
    }

    /// What all processes have logged.
    pub fn logs(&self) -> String {
        self.servers().map(HatoServer::log).collect()
    }
}

/// A push service that keeps no messages.
pub fn counting() -> PushServiceOptions {
    PushServiceOptions {
        decryption: Decryption::CountOnly,
        ..PushServiceOptions::default()
    }
}

pub async fn push_service(options: PushServiceOptions) -> PushService {
    let started = PushService::start_with(options).await;
    started.expect("a push service")
}

/// How each process of a fleet is started.
fn launch(push: &PushService) -> ServerLaunch {
    ServerLaunch::new(env!("CARGO_BIN_EXE_hato-server"))
        .with_push_service(push)
        .env("HATO_PEPPER", "ab".repeat(32))
        .env("HATO_ENCRYPTION_KEY", "cd".repeat(32))
        .env("HATO_DEFAULT_PLAN", "pro")
        .env("HATO_RETRY_DELAYS", "200ms,500ms,2s")
        .env("HATO_WEBHOOK_RETRY_DELAYS", "100ms,200ms,500ms,1s,1s,1s,1s")
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0")
}

async fn start(launch: &ServerLaunch, role: &str) -> HatoServer {
    let started = launch.clone().env("HATO_ROLE", role).start().await;
    started.unwrap_or_else(|error| panic!("{error}"))
}

/// The body of a send that has nothing but what it must have.
pub fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

/// The answer to a GET.
pub async fn get(client: &Client, path: &str) -> Reply {
    client.get(path).await.expect("an answer")
}

/// What the variable `name` says, which makes a run longer, or `usual`.
pub fn env_or(name: &str, usual: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(usual, |number| number.parse().expect("it is a number"))
}

/// Looks again and again until `holds`; panics with the text when that takes too long.
pub async fn wait_until(holds: impl AsyncFn() -> bool, otherwise: &str) {
    let looking = async {
        let mut ticks = interval(POLL_INTERVAL);
        while !holds().await {
            ticks.tick().await;
        }
    };
    let in_time = timeout(WAIT_TIMEOUT, looking).await.is_ok();
    assert!(in_time, "{otherwise}");
}

/// Waits until the server's log has a line with this text.
pub async fn wait_until_logged(server: &HatoServer, text: &str) {
    wait_until(async || server.log().contains(text), text).await;
}

/// Waits until every server answers /readyz with this status; each lives all the time.
pub async fn wait_until_ready_is(servers: impl Iterator<Item = &HatoServer>, status: u16) {
    let asking = servers.map(|server| ask_until_ready_is(server.client(), status));
    let asking = asking.collect::<JoinSet<_>>().join_all();
    let in_time = timeout(WAIT_TIMEOUT, asking).await.is_ok();
    assert!(in_time, "/readyz is never {status} everywhere");
}

async fn ask_until_ready_is(client: Client, status: u16) {
    let mut ticks = interval(POLL_INTERVAL);
    while get(&client, "/readyz").await.status != status {
        ticks.tick().await;
    }
    assert_eq!(get(&client, "/healthz").await.status, 200);
}
