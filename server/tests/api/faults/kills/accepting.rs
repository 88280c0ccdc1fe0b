//! SIGKILL while clients send, register and import.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hato_testkit::client::{Client, Reply};
use hato_testkit::port::Port;
use hato_testkit::push_service::BrowserSubscription;
use hato_testkit::seeded_rng;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::{Method, Request};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::super::{DeliveryCounts, FaultFixture};
use super::in_flight::now;
use crate::fixtures::{env_or, get, tested_program};

const CLIENTS: usize = 6;
/// Requests for each kill: a third of each kind.
const REQUESTS: usize = 3 * SENDS;
const SENDS: usize = 30;
/// Registrations of an import's request.
const IMPORTED: usize = 20;
/// Between two attempts at a request, so that the server has the machine as well.
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// The requests, of which each client makes the next one until it is accepted.
struct Requests {
    backend: Client,
    admin: Client,
    bulk_path: String,
    /// One for each send: a copy of another one hides no loss.
    audience: Vec<BrowserSubscription>,
    /// As many as one import registers, for each request that is no send.
    newcomers: Vec<Vec<BrowserSubscription>>,
    next: AtomicUsize,
    count: usize,
    /// How many attempts were begun.
    begun: watch::Sender<usize>,
}

impl Requests {
    fn new(fixture: &FaultFixture, count: usize) -> Self {
        let app = &fixture.app;
        let key = Some(app.vapid_public_key.as_str());
        let newcomers = |number| match number % 3 {
            0 => Vec::new(),
            1 => fixture.push.subscribe_many(key, 1),
            _ => fixture.push.subscribe_many(key, IMPORTED),
        };
        Self {
            backend: app.backend.clone(),
            admin: app.admin.clone(),
            bulk_path: format!("/api/v1/apps/{}/subscriptions/bulk", app.id),
            audience: fixture.browsers.clone(),
            newcomers: (0..count).map(newcomers).collect(),
            next: AtomicUsize::new(0),
            count,
            begun: watch::Sender::new(0),
        }
    }

    /// Makes requests until there are none left; returns the ids of the sends.
    async fn make(self: Arc<Self>) -> Vec<String> {
        let mut sends = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            match number % 3 {
                _ if number >= self.count => return sends,
                0 => sends.push(self.send(number).await),
                1 => self.register(&self.newcomers[number][0]).await,
                _ => self.import(&self.newcomers[number]).await,
            }
        }
    }

    async fn send(&self, number: usize) -> String {
        let endpoint = &self.audience[number / 3].endpoint;
        let body = json!({"title": "t", "body": "b", "endpoint": endpoint});
        let mut request = request("/api/v1/notify", &body);
        let key = format!("request-{number}").parse().expect("visible ASCII");
        request.headers_mut().insert("idempotency-key", key);
        let accepted = self.repeat(&self.backend, request, &[202]).await.json();
        accepted["send_id"].as_str().expect("an id").to_owned()
    }

    /// A registration whose answer was lost is 200 when it is made again.
    async fn register(&self, browser: &BrowserSubscription) {
        let request = request("/api/v1/subscriptions", &browser.registration());
        self.repeat(&self.backend, request, &[200, 201]).await;
    }

    async fn import(&self, browsers: &[BrowserSubscription]) {
        let items: Vec<_> = browsers
            .iter()
            .map(BrowserSubscription::registration)
            .collect();
        let request = request(&self.bulk_path, &json!({"items": items}));
        let answer = self.repeat(&self.admin, request, &[200]).await.json();
        let taken = ["created", "updated"].map(|name| answer[name].as_u64().expect("a count"));
        assert_eq!(taken.iter().sum::<u64>(), items.len() as u64, "{answer}");
    }

    /// Makes the request until it is answered so. What the server cannot do is its error, and never the client's.
    async fn repeat(&self, client: &Client, request: Request<Bytes>, statuses: &[u16]) -> Reply {
        loop {
            self.begun.send_modify(|begun| *begun += 1);
            match client.send(request.clone()).await {
                Ok(reply) if statuses.contains(&reply.status.as_u16()) => return reply,
                Ok(reply) => assert!(reply.status.is_server_error(), "{reply}"),
                // It was killed.
                Err(_) => {}
            }
            sleep(RETRY_DELAY).await;
        }
    }
}

fn request(path: &str, body: &Value) -> Request<Bytes> {
    let request = Request::builder().method(Method::POST).uri(path);
    let request = request.header("content-type", "application/json");
    let request = request.body(Bytes::from(body.to_string()));
    request.expect("a well-formed request")
}

#[on_each_database(flavor = "multi_thread")]
async fn nor_does_one_that_is_killed_while_it_accepts_and_registers(database: TestDatabase) {
    // It listens where it did before, as behind a load balancer.
    let port = Port::reserve();
    let launch =
        ServerLaunch::on(tested_program(), database).env("HATO_LISTEN", port.address.to_string());
    let kills = usize::try_from(env_or("HATO_KILLS", 3)).expect("not so many");
    let mut fixture = FaultFixture::new(launch, (kills * SENDS) as u64).await;
    let before = fixture.served();
    let requests = Arc::new(Requests::new(&fixture, kills * REQUESTS));
    let clients: JoinSet<_> = (0..CLIENTS).map(|_| Arc::clone(&requests).make()).collect();
    let in_flight = fixture.kill_while_requested(&requests, kills).await;
    let sends: Vec<_> = clients.join_all().await.into_iter().flatten().collect();

    fixture.assert_accepted_once(&sends).await;
    let served = fixture.served();
    let mut recipients = fixture.browsers.iter().map(|it| &it.id);
    assert!(recipients.all(|id| served[id] > before[id]), "one was lost");
    fixture.assert_only_in_flight_copied(&before, &in_flight);
    let extra = fixture.taken(&before) - sends.len() as u64;
    println!(
        "{kills} kills, {extra} extra copies to {}: each accepted once",
        sends.len()
    );
    let newcomers = requests.newcomers.iter().flatten().cloned();
    fixture.browsers.extend(newcomers);
    fixture.assert_registered_once().await;
    let before = fixture.served();
    let outcome = fixture.finish(&fixture.send().await).await;
    assert_eq!(fixture.assert_nothing_lost(&outcome, &before).await, 0);
}

impl FaultFixture {
    /// Kills the server at random moments of the requests, and starts it again; returns in how many pages in flight each browser
    /// was then.
    async fn kill_while_requested(&mut self, requests: &Requests, kills: usize) -> DeliveryCounts {
        let mut rng = seeded_rng::from_env();
        let mut begun = requests.begun.subscribe();
        let (mut started, mut in_flight) = (0, DeliveryCounts::new());
        for kill in 0..kills {
            let moment = kill * REQUESTS + rng.usize(1..REQUESTS);
            let reached = begun.wait_for(|begun| *begun >= moment).await;
            drop(reached.expect("there are requests"));
            self.server.kill().await;
            self.in_flight(started).await.add_to(&mut in_flight);
            started = now();
            self.server.restart().await.expect("it starts again");
        }
        in_flight
    }

    /// The history has these sends and no others, each of which reached its one recipient.
    async fn assert_accepted_once(&self, sends: &[String]) {
        for send in sends {
            let outcome = self.finish(send).await;
            let counts = ["recipients", "sent_count"].map(|name| outcome[name].as_u64());
            assert_eq!(counts, [Some(1), Some(1)], "{outcome}");
        }
        let history = self.history().await;
        let ids = history.iter().map(|it| it["send_id"].as_str());
        let mut ids: Vec<_> = ids.map(|id| id.expect("an id")).collect();
        let mut accepted: Vec<_> = sends.iter().map(String::as_str).collect();
        ids.sort_unstable();
        accepted.sort_unstable();
        assert_eq!(ids, accepted);
    }

    /// Each browser is there, and once.
    async fn assert_registered_once(&self) {
        let path = format!("/api/v1/apps/{}/export", self.app.id);
        let export = get(&self.current(&self.app.admin), &path).await.text();
        let endpoint = |line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            line["endpoint"].as_str().expect("an endpoint").to_owned()
        };
        let mut exported: Vec<_> = export.lines().map(endpoint).collect();
        let mut registered: Vec<_> = self.browsers.iter().map(|it| it.endpoint.clone()).collect();
        exported.sort_unstable();
        registered.sort_unstable();
        assert_eq!(exported, registered);
    }
}
