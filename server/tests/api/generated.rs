//! Whatever is asked, the answer is one of the specification's, and what was refused has changed nothing (CONTRACT 2).
//!
//! Requests are generated from a seed that a failure shows; `HATO_TEST_SEED` repeats it, `HATO_TEST_ROUNDS` asks for more.

mod body;
mod mcp;
mod request;

use std::time::Duration;

use hato_domain::ErrorCode;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::fixtures::{BINARY, app, get, post, snapshot, start, subscribe};
use request::{KnownIds, RequestCase};

const ROUNDS: usize = 150;
const REQUESTS_PER_ROUND: usize = 16;
/// Nothing that the server does for one of these requests takes so long.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api");
    let server = start(launch.env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

/// What is there for requests to hit: a subscriber, a send that waits, a key.
async fn create_known_ids(app: &OwnedApp) -> KnownIds {
    subscribe(app, 1).await;
    let sent = post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await
    .json();
    let keys = get(&app.owner, &format!("/api/v1/apps/{}/keys", app.id))
        .await
        .json();
    let text = |value: &serde_json::Value| value.as_str().expect("an id").to_owned();
    KnownIds {
        app: app.id.clone(),
        send: text(&sent["send_id"]),
        key: text(&keys[0]["id"]),
    }
}

async fn send_case(client: Client, case: RequestCase) -> (RequestCase, Reply) {
    let answer = timeout(REQUEST_TIMEOUT, client.send(case.request())).await;
    let answer = answer.unwrap_or_else(|_| panic!("no answer to {case:?}"));
    let reply = answer.unwrap_or_else(|error| panic!("{error} instead of an answer to {case:?}"));
    (case, reply)
}

/// A read that takes a second is ended; on a machine with other things to do that may be any heavy one.
fn is_overload(case: &RequestCase, reply: &Reply) -> bool {
    let is_refused = reply.status == 503 && reply.code() == ErrorCode::Overloaded.as_str();
    is_refused && (case.method == Method::GET || case.method == Method::POST)
}

/// The answer is a legal success, or an error body that is in the table and has its status.
fn assert_legal(case: &RequestCase, reply: &Reply) {
    assert!(reply.header("x-request-id").is_some(), "{case:?}: {reply}");
    if reply.status.is_success() || reply.status.is_redirection() || case.method == Method::HEAD {
        return;
    }
    if case.asks_for_a_page() {
        let kind = reply.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("text/html"), "{case:?}: {reply}");
        return;
    }
    let code = ErrorCode::parse(&reply.code()).unwrap_or_else(|| panic!("{case:?}: {reply}"));
    assert_eq!(reply.status, code.status(), "{case:?}");
    assert_eq!(reply.json()["error"], code.message(), "{case:?}");
    let is_configuration_error =
        matches!(code, ErrorCode::OauthNotConfigured | ErrorCode::ConfigError);
    assert!(
        is_configuration_error || is_overload(case, reply) || code.status() < 500,
        "{case:?}: {reply}"
    );
}

/// Requests that were on their way at the same time, with their answers.
struct RequestRound(Vec<(RequestCase, Reply)>);

impl RequestRound {
    fn assert_legal(&self) {
        for (case, reply) in &self.0 {
            assert_legal(case, reply);
        }
    }

    fn may_have_changed_something(&self) -> bool {
        self.0.iter().any(|(case, reply)| {
            let asks_only = matches!(case.method, Method::GET | Method::HEAD | Method::OPTIONS);
            reply.status.is_success() && !asks_only
        })
    }

    fn refused(&self) -> usize {
        let refused = self
            .0
            .iter()
            .filter(|(_, reply)| reply.status.is_client_error());
        refused.count()
    }

    fn overloads(&self) -> usize {
        let overloads = self.0.iter();
        let overloads = overloads.filter(|(case, reply)| is_overload(case, reply));
        overloads.count()
    }
}

#[on_each_database(flavor = "multi_thread")]
async fn every_request_is_answered_and_a_refused_one_changes_nothing(database: TestDatabase) {
    let seed = setting("HATO_TEST_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("HATO_TEST_SEED={seed}");
    let rounds = setting("HATO_TEST_ROUNDS").map_or(ROUNDS, |rounds| {
        usize::try_from(rounds).expect("a small number")
    });
    let mut random = fastrand::Rng::with_seed(seed);
    let (server, app) = setup(database).await;
    let known = create_known_ids(&app).await;
    let clients = [
        server.client(),
        app.owner.clone(),
        app.admin.clone(),
        app.backend.clone(),
        app.frontend.clone(),
    ];
    let mut before = snapshot(&app).await;
    let (mut refused, mut overloads, mut compared) = (0, 0, 0);
    for _ in 0..rounds {
        let cases = (0..REQUESTS_PER_ROUND).map(|_| RequestCase::generate(&mut random, &known));
        let asked = cases.map(|case| send_case(clients[case.client].clone(), case));
        let round = RequestRound(asked.collect::<JoinSet<_>>().join_all().await);
        round.assert_legal();
        let after = snapshot(&app).await;
        let changed = round.may_have_changed_something();
        assert!(
            changed || after == before,
            "one of these changed something: {:#?}",
            round.0
        );
        refused += round.refused();
        overloads += round.overloads();
        compared += usize::from(!changed);
        before = after;
    }
    // A tame generator would prove nothing.
    let asked = rounds * REQUESTS_PER_ROUND;
    let summary = format!("{refused} of {asked} refused, {compared} of {rounds} rounds compared");
    assert!(refused > asked / 2 && compared > rounds / 2, "{summary}");
    assert!(overloads <= asked / 100, "{overloads} of {asked}");
    println!("{summary}");
}
