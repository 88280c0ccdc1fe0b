//! A server behind Caddy and nginx as deploy/ sets them up: requests, events as they happen and lists of the largest size come through. How large that is all proxies in deploy/ say, and the guide.

mod proxy;

use std::fs;
use std::path::Path;

use hato_app::{MAX_FORM_BYTES, MAX_LIST_BYTES};
use hato_testkit::TestDatabase;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::fixtures::{AUTH, BINARY, P256DH, app, get, post, registration, server, start};
use proxy::{Events, NAME, Proxy};

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy");
const GUIDE: &str = include_str!("../../../docs/DEPLOY.md");

/// So many that a load balancer chooses each server among them.
const REQUESTS: usize = 16;

fn read(name: &str) -> String {
    fs::read_to_string(format!("{DEPLOY}/{name}")).expect("a file")
}

/// A file for Caddy, with the addresses of this machine in the places of those it has.
fn read_caddyfile(name: &str, places: &[(&str, &str)]) -> String {
    let mut file = read(&format!("caddy/{name}.Caddyfile"));
    for (place, here) in places {
        assert!(file.contains(place), "{place} in {file}");
        file = file.replace(place, here);
    }
    file
}

/// What stands between two texts, the first time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).map(|(_, rest)| rest);
    let found = rest.and_then(|rest| rest.split_once(after));
    found.unwrap_or_else(|| panic!("no {before} in {text}")).0
}

#[test]
fn proxies_let_through_what_the_server_takes() {
    let largest = MAX_LIST_BYTES + MAX_FORM_BYTES;
    for (text, before, after) in [
        (read("nginx/hato.conf"), "client_max_body_size ", "m;"),
        (read("kubernetes/one.yaml"), "/proxy-body-size: ", "m\n"),
        (read("kubernetes/fleet.yaml"), "/proxy-body-size: ", "m\n"),
        (GUIDE.to_owned(), "let bodies of ", " MiB through"),
    ] {
        let limit: usize = between(&text, before, after).parse().expect("a number");
        let (limit, less) = (limit * 1024 * 1024, (limit - 1) * 1024 * 1024);
        assert!(less < largest && largest <= limit, "{before}{limit}");
    }
}

/// nginx has all of a body before it hands it over, and looks for the answer when it has.
#[tokio::test]
async fn a_body_that_is_refused_is_taken_as_far_as_proxies_let_it_through() {
    let server = server(TestDatabase::sqlite().await).await;
    let limit = between(GUIDE, "let bodies of ", " MiB through");
    let length = limit.parse::<usize>().expect("a number") * 1024 * 1024;
    let mut proxy = TcpStream::connect(server.address()).await.expect("open");
    let head =
        format!("POST /api/v1/notify HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n");
    proxy.write_all(head.as_bytes()).await.expect("asked");
    let sent = proxy.write_all(&vec![b' '; length]).await;
    sent.expect("all of it is taken");
    let mut answer = [0; 12];
    proxy.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(answer.escape_ascii().to_string(), "HTTP/1.1 401");
}

/// A server that believes the proxies of this machine, and an app of it.
async fn behind_a_proxy() -> (HatoServer, OwnedApp) {
    let launch = ServerLaunch::on(BINARY, TestDatabase::sqlite().await)
        .env("HATO_BASE_URL", format!("https://{NAME}"))
        .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8,::1/128")
        .env("HATO_REGISTRATIONS_PER_MINUTE", "1")
        .env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

/// Everything that somebody who has put the server behind this proxy relies on.
async fn assert_passes_on(proxy: &Proxy, server: &HatoServer, app: &OwnedApp) {
    assert_speaks_https(proxy).await;
    assert_tells_the_clients_address(proxy, app).await;
    assert_passes_events_on_as_they_happen(proxy, app).await;
    assert_takes_lists_of_the_largest_size(proxy, server, app).await;
}

async fn assert_speaks_https(proxy: &Proxy) {
    let answer = proxy.curl(&["--include"], "/readyz").await;
    assert!(answer.starts_with("HTTP/2 200"), "{answer}");
    let redirect = proxy.curl_http(&["--include"], "/sign-up").await;
    assert!(redirect.starts_with("HTTP/1.1 308"), "{redirect}");
    let location = format!("ocation: https://{NAME}");
    assert!(redirect.contains(&location), "{redirect}");
}

/// A limit holds for whoever asks, by whatever address they say they come from.
async fn assert_tells_the_clients_address(proxy: &Proxy, app: &OwnedApp) {
    let key = app
        .owner
        .create_key(&app.id, "page", "subscribe_only")
        .await;
    let key = format!("authorization: Bearer {}", key.expect("a key"));
    let mut statuses = Vec::new();
    for number in 1..=2 {
        let endpoint = format!("https://push.example.com/{number}");
        let body = registration(&endpoint).to_string();
        let from = format!("x-forwarded-for: 203.0.113.{number}");
        let words = ["--header", &key, "--header", &from, "--data", &body];
        let status = ["--output", "/dev/null", "--write-out", "%{http_code}"];
        let words = [&words[..], &status].concat();
        statuses.push(proxy.curl(&words, "/api/v1/subscriptions").await);
    }
    assert_eq!(statuses, ["201", "429"]);
}

async fn assert_passes_events_on_as_they_happen(proxy: &Proxy, app: &OwnedApp) {
    let key = app.owner.create_key(&app.id, "listener", "full").await;
    let key = format!("authorization: Bearer {}", key.expect("a key"));
    let path = format!("/api/v1/apps/{}/events/stream", app.id);
    let mut events = Events::open(proxy, &["--header", &key], &path);
    events.wait_for(": listening").await;
    let message = json!({"title": "t", "body": "b", "to": {"tags": "nobodys"}});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let send = accepted.json()["send_id"].clone();
    events.wait_for(send.as_str().expect("an id")).await;
}

/// A list of so many bytes, with one subscriber.
fn list(size: usize) -> Vec<u8> {
    let mut list = format!("endpoint,p256dh,auth\nhttps://push.example.com/a,{P256DH},{AUTH}\n");
    let line = "x".repeat(60_000) + "\n";
    list.extend(std::iter::repeat_n(line, size / 60_000 + 1));
    list.truncate(size);
    list.into_bytes()
}

async fn assert_takes_lists_of_the_largest_size(
    proxy: &Proxy,
    server: &HatoServer,
    app: &OwnedApp,
) {
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let cookie = format!("cookie: hato_session={}", session.expect("a session"));
    let folder = TempDir::new().expect("a folder");
    let upload = async |size| {
        let file = folder.path().join("list.csv");
        fs::write(&file, list(size)).expect("a file");
        upload(proxy, app, &cookie, &file).await
    };
    let app_path = format!("/api/v1/apps/{}", app.id);
    let active = async || get(&app.owner, &app_path).await.json()["active_subscriptions"].clone();
    let before = active().await.as_i64();
    let taken = upload(MAX_LIST_BYTES).await;
    assert!(taken.starts_with("HTTP/2 200"), "{taken}");
    assert_eq!(active().await.as_i64(), before.map(|it| it + 1));
    // It is the server that says so.
    let refused = upload(MAX_LIST_BYTES + MAX_FORM_BYTES).await;
    assert!(refused.starts_with("HTTP/2 413"), "{refused}");
    assert!(refused.contains("x-request-id:"), "{refused}");
}

/// The head of the answer to a list.
async fn upload(proxy: &Proxy, app: &OwnedApp, cookie: &str, list: &Path) -> String {
    let form = format!("list=@{}", list.display());
    let path = format!("/apps/{}/subscribers/import?step=import", app.id);
    let words = [
        ["--header", cookie],
        ["--header", "sec-fetch-site: same-origin"],
        ["--header", "accept: text/html"],
        // Nobody waits for leave to send.
        ["--header", "expect:"],
        ["--form", &form],
        ["--dump-header", "-"],
        ["--output", "/dev/null"],
    ];
    proxy.curl(words.as_flattened(), &path).await
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_passes_on_what_a_server_is_asked() {
    let (server, app) = behind_a_proxy().await;
    let address = server.address();
    let file = read("caddy/Caddyfile").replace("127.0.0.1:3000", &address.to_string());
    let caddy = Proxy::caddy(&file).await;
    assert_passes_on(&caddy, &server, &app).await;

    // As the guide asks it where nobody knows the name.
    assert!(GUIDE.contains("add `tls internal` to the block"));
    let command = format!(
        "curl -k --resolve {}",
        between(GUIDE, "`curl -k --resolve ", "`")
    );
    let said = caddy.run_as_told(&command).await;
    assert!(said.contains("ready"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_passes_on_to_containers() {
    let (server, _) = behind_a_proxy().await;
    let (address, port) = (server.address().to_string(), server.address().port());
    let port = format!("port {port}");
    for (name, places) in [
        ("container", &[("hato:3000", &*address)][..]),
        (
            "container-fleet",
            &[("name api", "name localhost"), ("port 3000", &port)],
        ),
    ] {
        let caddy = Proxy::caddy(&read_caddyfile(name, places)).await;
        assert_eq!(caddy.curl(&[], "/readyz").await, "ready", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_passes_on_to_the_processes_of_a_fleet_that_live() {
    for killed in 0..2 {
        let mut servers = [behind_a_proxy().await.0, behind_a_proxy().await.0];
        let [one, other] = servers.each_ref().map(|it| it.address().to_string());
        let places = [("10.0.0.11:3000", &*one), ("10.0.0.12:3000", &other)];
        let caddy = Proxy::caddy(&read_caddyfile("fleet", &places)).await;
        servers[killed].kill().await;
        for _ in 0..REQUESTS {
            assert_eq!(caddy.curl(&[], "/readyz").await, "ready");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_passes_on_what_a_server_is_asked() {
    let (server, app) = behind_a_proxy().await;
    let file = read("nginx/hato.conf").replace("127.0.0.1:3000", &server.address().to_string());
    let nginx = Proxy::nginx(&file).await;
    assert_passes_on(&nginx, &server, &app).await;
}
