//! Clients that send all the time, each request until it is accepted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hato_testkit::client::{Client, ClientError, Reply};
use hato_testkit::push_service::BrowserSubscription;
use http::{HeaderValue, Method, Request};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::fixtures::{Fleet, message, wait_until};
use crate::outcome::Served;

const CLIENTS: usize = 4;
/// Between two requests of a client, so that workers and tests have the machine as well.
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// Clients that send to one subscriber after the other, through the API's processes in turn.
pub struct Acceptor {
    clients: JoinSet<Vec<Accepted>>,
    is_stopping: Arc<AtomicBool>,
}

/// A send that was answered 202.
pub struct Accepted {
    pub send: String,
    /// The id of its one recipient.
    browser: String,
}

impl Acceptor {
    /// Starts the clients, which send to these until they are told to stop.
    pub fn start(fleet: &Fleet, browsers: &[BrowserSubscription]) -> Self {
        let is_stopping = Arc::<AtomicBool>::default();
        let addresses = 0..fleet.apis.len();
        let apis: Vec<_> = addresses
            .map(|api| fleet.at(&fleet.app.backend, api))
            .collect();
        let browsers: Arc<[_]> = browsers.into();
        let clients = (0..CLIENTS).map(|client| {
            let (apis, browsers) = (apis.clone(), Arc::clone(&browsers));
            let is_stopping = Arc::clone(&is_stopping);
            async move {
                let mut accepted = Vec::new();
                while !is_stopping.load(Ordering::Relaxed) {
                    let number = accepted.len() * CLIENTS + client;
                    let browser: &BrowserSubscription = &browsers[number % browsers.len()];
                    let mut body = message();
                    body["endpoint"] = json!(browser.endpoint);
                    accepted.push(Accepted {
                        send: send_until_accepted(&apis, number, &body).await,
                        browser: browser.id.clone(),
                    });
                    sleep(RETRY_DELAY).await;
                }
                accepted
            }
        });
        Self {
            clients: clients.collect(),
            is_stopping,
        }
    }

    /// Sends no more, and returns what was accepted.
    pub async fn stop(self) -> Vec<Accepted> {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.clients
            .join_all()
            .await
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Sends one request, under the same key, to the processes in turn until one accepts it. What no process can answer is an error of
/// the server, and never of the client.
pub async fn send_until_accepted(apis: &[Client], number: usize, body: &Value) -> String {
    let key = format!("request-{number}");
    let mut attempt = number;
    loop {
        match post_as(&apis[attempt % apis.len()], &key, body).await {
            Ok(reply) if reply.status == 202 => {
                let send = reply.json()["send_id"].as_str().map(str::to_owned);
                return send.expect("an id");
            }
            Ok(reply) => assert!(reply.status.is_server_error(), "{reply}"),
            // The process was killed.
            Err(_) => {}
        }
        attempt += 1;
        sleep(RETRY_DELAY).await;
    }
}

/// The answer to a send under an idempotency key.
async fn post_as(client: &Client, key: &str, body: &Value) -> Result<Reply, ClientError> {
    let mut request = Request::new(Bytes::from(body.to_string()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = "/api/v1/notify".parse().expect("a path");
    let key = HeaderValue::from_str(key).expect("visible ASCII");
    request.headers_mut().insert("idempotency-key", key);
    client.send(request).await
}

impl Fleet {
    /// What was accepted is what there is: charged once each, sent once each, besides one send to everybody, of whom so many were sent to.
    /// Returns how many of them each subscriber was to be served.
    pub async fn assert_accepted(&self, accepted: &[Accepted], sent: usize) -> Served {
        let unfinished = "SELECT COUNT(*) FROM sends WHERE finished_at IS NULL";
        wait_until(
            async || self.query(unfinished) == "0",
            "sends are unfinished",
        )
        .await;
        let mut ids: Vec<_> = accepted.iter().map(|it| it.send.as_str()).collect();
        ids.sort_unstable();
        let stored = self.query("SELECT id FROM sends WHERE recipients = 1 ORDER BY id");
        assert_eq!(stored.lines().collect::<Vec<_>>(), ids);
        let [sent, charged] = [sent, self.browsers.len()].map(|it| it + accepted.len());
        let stats = format!("/api/v1/apps/{}/stats", self.app.id);
        let stats = self.at(&self.app.owner, 0).get(&stats).await;
        let stats = stats.expect("an answer").json();
        assert_eq!(
            (&stats["totalSent"], &stats["monthlySent"]),
            (&sent.into(), &charged.into())
        );
        let mut wanted = Served::new();
        for send in accepted {
            *wanted.entry(send.browser.clone()).or_default() += 1;
        }
        wanted
    }
}
