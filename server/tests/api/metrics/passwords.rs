//! Passwords that are hashed, wait and are refused.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hato_testkit::TestDatabase;
use hato_testkit::client::Client;
use hato_testkit::server::series_value;
use http::Method;
use serde_json::json;
use tokio::task::JoinSet;

use super::{launch, scrape, wait_until};
use crate::fixtures::{send, start};

/// One is hashed at a time, and 50 may wait: so many at once, and some are refused.
const STRANGERS: usize = 70;

/// Logs in from one address after the other until it is told to end or refused; how many passwords were looked at, and how many
/// were not.
async fn guess(client: Client, addresses: Arc<AtomicU32>, end: Arc<AtomicBool>) -> (u32, u32) {
    let login = json!({"email": "nobody@example.com", "password": "battery staple"}).to_string();
    let mut verified = 0;
    while !end.load(Ordering::Relaxed) {
        let number = addresses.fetch_add(1, Ordering::Relaxed);
        let address = Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 0)) + number).to_string();
        let headers = [
            ("content-type", "application/json"),
            ("x-forwarded-for", address.as_str()),
        ];
        let reply = send(
            &client,
            Method::POST,
            "/auth/login",
            &headers,
            login.clone(),
        )
        .await;
        match reply.code().as_str() {
            "INVALID_CREDENTIALS" => verified += 1,
            "OVERLOADED" => return (verified, 1),
            _ => panic!("{reply}"),
        }
    }
    (verified, 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_that_are_hashed_wait_and_are_refused_are_told() {
    let launch = launch(TestDatabase::sqlite().await).env("HATO_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = start(launch).await;
    let metrics = server.metrics_client();
    let load = |text: &str| {
        [
            "hato_password_hashes_running",
            "hato_password_hashes_waiting",
        ]
        .map(|name| series_value(text, name))
    };
    let idle = [Some(0.0); 2];
    assert_eq!(load(&scrape(&metrics).await), idle);

    let (addresses, end) = (Arc::<AtomicU32>::default(), Arc::<AtomicBool>::default());
    let guessing: JoinSet<_> = (0..STRANGERS)
        .map(|_| guess(server.client(), Arc::clone(&addresses), Arc::clone(&end)))
        .collect();
    wait_until(&metrics, |text| {
        let [running, waiting] = load(text);
        assert!(running <= Some(1.0) && waiting <= Some(50.0), "{text}");
        running == Some(1.0) && waiting > Some(10.0)
    })
    .await;
    end.store(true, Ordering::Relaxed);
    let guessed = guessing.join_all().await;
    let verified: u32 = guessed.iter().map(|(verified, _)| verified).sum();
    let refused: u32 = guessed.iter().map(|(_, refused)| refused).sum();
    assert!(refused > 0, "{guessed:?}");

    wait_until(&metrics, |text| load(text) == idle).await;
    let text = scrape(&metrics).await;
    for (name, count) in [
        ("hato_password_hashes_refused_total", refused),
        ("hato_password_verifications_total", verified),
    ] {
        assert_eq!(series_value(&text, name), Some(f64::from(count)), "{text}");
    }
}
