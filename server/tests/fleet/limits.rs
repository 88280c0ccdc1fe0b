//! What is limited or done once, by processes that know nothing of each other.

use std::collections::HashSet;

use hato_cluster::Durability;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::PASSWORD;
use hato_testkit::seeded_rng;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::acceptor::send_until_accepted;
use crate::fixtures::{Fleet, FleetSize, env_or, get, message};

/// What the Free plan allows in a month (SPEC 8).
const MONTHLY_LIMIT: usize = 30_000;
/// API keys of an app (CONTRACT 12).
const MAX_KEYS: usize = 1_000;

fn two_apis(recipients: usize) -> FleetSize {
    FleetSize {
        apis: 2,
        workers: 0,
        recipients,
    }
}

impl Fleet {
    /// What the account has used of its month, as each process sees it.
    async fn monthly_sent(&self) -> [Value; 2] {
        let path = format!("/api/v1/apps/{}/stats", self.app.id);
        let mut seen = [Value::Null, Value::Null];
        for (api, seen) in seen.iter_mut().enumerate() {
            let stats = get(&self.at(&self.app.owner, api), &path).await.json();
            *seen = stats["monthlySent"].clone();
        }
        seen
    }

    /// The answers to so many equal POSTs at the same time, of which each process gets half: how many were successful, and the codes of
    /// the others.
    async fn post_to_both(
        &self,
        client: &Client,
        path: &str,
        body: &Value,
        requests: usize,
    ) -> (usize, HashSet<String>) {
        let asking = (0..requests).map(|number| {
            let (client, path, body) = (self.at(client, number % 2), path.to_owned(), body.clone());
            async move { client.post(&path, &body).await.expect("an answer") }
        });
        let replies = asking.collect::<JoinSet<_>>().join_all().await;
        let (done, refused): (Vec<_>, Vec<_>) =
            replies.iter().partition(|reply| reply.status.is_success());
        (done.len(), refused.into_iter().map(Reply::code).collect())
    }
}

fn only(code: &str) -> HashSet<String> {
    HashSet::from([code.to_owned()])
}

#[tokio::test(flavor = "multi_thread")]
async fn the_months_limit_is_exact_over_two_processes() {
    let free = [("HATO_DEFAULT_PLAN", "free")];
    let recipients = 999;
    let fleet = Fleet::start_with(Durability::None, two_apis(recipients), &free).await;
    let message = message();
    let posting = fleet.post_to_both(&fleet.app.backend, "/api/v1/notify", &message, 64);
    let allowed = MONTHLY_LIMIT / recipients;
    assert_eq!(posting.await, (allowed, only("MONTHLY_LIMIT_EXCEEDED")));
    assert_eq!(
        fleet.monthly_sent().await,
        [json!(allowed * recipients), json!(allowed * recipients)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_free_plans_one_app_is_one_over_two_processes() {
    let free = [("HATO_DEFAULT_PLAN", "free")];
    let fleet = Fleet::start_with(Durability::None, two_apis(1), &free).await;
    let client = fleet.apis[0].client();
    let session = client.register_account("another@example.com", PASSWORD);
    let owner = client.bearer(&session.await.expect("an account"));
    let app = json!({"name": "app"});
    let posting = fleet.post_to_both(&owner, "/api/v1/apps", &app, 16);
    assert_eq!(posting.await, (1, only("PLAN_LIMIT_EXCEEDED")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_has_no_more_than_its_keys_over_two_processes() {
    let fleet = Fleet::start(Durability::None, two_apis(1)).await;
    let (app, left) = (&fleet.app.id, 5);
    fleet.query(&format!(
        "INSERT INTO api_keys (id, app_id, name, scope, hash, created_at)
         SELECT 'key_' || number, '{app}', 'key', 'notify', sha256(convert_to(number::text, 'UTF8')), 0
         FROM generate_series((SELECT COUNT(*) FROM api_keys) + 1, {}) AS number",
        MAX_KEYS - left
    ));
    let (path, key) = (
        format!("/api/v1/apps/{app}/keys"),
        json!({"name": "key", "scope": "notify"}),
    );
    let posting = fleet.post_to_both(&fleet.app.owner, &path, &key, 16);
    assert_eq!(posting.await, (left, only("TOO_MANY_KEYS")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_made_until_it_is_accepted_is_one_send_whoever_is_killed() {
    let mut fleet = Fleet::start(Durability::None, two_apis(10)).await;
    let mut rng = seeded_rng::from_env();
    let requests = usize::try_from(env_or("HATO_REQUESTS", 300)).expect("not so many");
    // Both addresses stay, as behind a load balancer: a process that was killed listens at its own again.
    let apis: Vec<Client> = (0..2)
        .map(|api| fleet.at(&fleet.app.backend, api))
        .collect();
    let mut sending = JoinSet::new();
    for first in 0..4 {
        let apis = apis.clone();
        sending.spawn(async move {
            let mut sends = Vec::new();
            for number in (first..requests).step_by(4) {
                sends.push(send_until_accepted(&apis, number, &message()).await);
            }
            sends
        });
    }
    let count = "SELECT COUNT(*) FROM sends";
    for kill in 1..4 {
        let moment = kill * requests / 4;
        while fleet.query(count).parse::<usize>().expect("a number") < moment {}
        fleet.restart_api(rng.usize(..2)).await;
    }
    let sends: Vec<_> = sending.join_all().await.into_iter().flatten().collect();
    let different: HashSet<_> = sends.iter().collect();
    assert_eq!((sends.len(), different.len()), (requests, requests));
    assert_eq!(fleet.query(count), requests.to_string());
    let charged = json!(requests * fleet.browsers.len());
    assert_eq!(fleet.monthly_sent().await, [charged.clone(), charged]);
}
