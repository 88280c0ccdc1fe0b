//! `hato-server rotate-encryption-key`, and another pepper (CONTRACT 1).

use std::process::Output;

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::webhook_receiver::WebhookReceiver;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};
use tokio::time::{Duration, interval};

use crate::admin::admin;
use crate::database::values;
use crate::fixtures::{
    BINARY, app, concurrently, count, get, post, register, send, setup, start, status_and_code,
    wait_until,
};

const NEW_KEY: &str = "7e57000000000000000000000000000000000000000000000000000000000009";
/// All that is sealed for the app of [`Sealed`]: its private key, and two secrets each for its users and its webhook.
const SEALED: &str = "5 secrets were encrypted anew";

/// An app that has everything that is sealed, and a subscriber.
struct Sealed {
    push: PushService,
    server: HatoServer,
    app: OwnedApp,
    secrets: Value,
    _receiver: WebhookReceiver,
}

impl Sealed {
    async fn new(database: TestDatabase) -> Self {
        let push = PushService::start().await;
        let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
        let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
        let app = app(&server, "owner@example.com").await;
        register(
            &app.admin,
            &push.subscribe_many(Some(&app.vapid_public_key), 1),
        )
        .await;
        let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
        let receiver = WebhookReceiver::start(push.ca()).await;
        let webhook = json!({"webhook_url": receiver.url()}).to_string();
        let set = send(&app.owner, Method::PATCH, &path(""), &[], webhook).await;
        assert_eq!(set.status, 200, "{set}");
        get(&app.admin, &path("/identity")).await;
        for rest in ["/webhook/secret", "/webhook/secret", "/identity/secret"] {
            let rotated = post(&app.admin, &path(rest), &json!({})).await;
            assert_eq!(rotated.status, 200, "{rotated}");
        }
        let secrets = secrets(&app, &server).await;
        let all = secrets.as_array().expect("a list");
        assert!(all.iter().all(Value::is_string), "{secrets}");
        Self {
            push,
            server,
            app,
            secrets,
            _receiver: receiver,
        }
    }

    /// A server on the same data can open everything.
    async fn assert_readable(&self, server: &HatoServer) {
        assert_eq!(secrets(&self.app, server).await, self.secrets);
        let before = self.push.seen(|seen| seen.total.created);
        let message = json!({"title": "t", "body": "b"});
        let backend = self.app.backend.at(server.address());
        let sent = post(&backend, "/api/v1/notify", &message).await;
        assert_eq!(sent.status, 202, "{sent}");
        self.push
            .wait_until(|seen| seen.total.created == before + 1)
            .await;
        let owner = self.app.owner.at(server.address());
        let path = format!("/api/v1/apps/{}/notifications", self.app.id);
        wait_until(&owner, &path, |it| it["items"][0]["status"] == "done").await;
        self.push.assert_no_violations();
    }
}

/// The app's secrets, as the API shows them.
async fn secrets(app: &OwnedApp, server: &HatoServer) -> Value {
    let admin = app.admin.at(server.address());
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let webhook = get(&admin, &path("/webhook")).await;
    let identity = get(&admin, &path("/identity")).await;
    assert_eq!(
        (webhook.status.as_u16(), identity.status.as_u16()),
        (200, 200)
    );
    let (webhook, identity) = (webhook.json(), identity.json());
    json!([
        webhook["secret"],
        webhook["previous_secret"],
        identity["identity_secret"],
        identity["previous_secret"],
    ])
}

async fn rotate(launch: &ServerLaunch) -> Output {
    let output = launch.command("rotate-encryption-key").output().await;
    output.expect("the program runs")
}

fn assert_done(output: &Output, words: &str) {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains(words), "{words} in {stdout}");
}

fn refusal(output: &Output) -> (Option<i32>, String) {
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    (output.status.code(), stderr)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn secrets_file(server: &HatoServer) -> String {
    std::fs::read_to_string(server.data_dir().join("secrets.toml")).expect("a file")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_the_file_is_replaced_while_no_server_runs() {
    let mut sealed = Sealed::new(TestDatabase::sqlite().await).await;
    let before = secrets_file(&sealed.server);
    let launch = sealed.server.launch().clone();
    let (code, line) = refusal(&rotate(&launch).await);
    assert_eq!(code, Some(1));
    assert!(line.contains("while no server runs"), "{line}");
    assert_eq!(secrets_file(&sealed.server), before);

    sealed.server.terminate().await.expect("it stops");
    assert_done(&rotate(&launch).await, SEALED);
    let after = secrets_file(&sealed.server);
    assert!(after != before && !after.contains("previous"), "both keys");
    let server = start(launch).await;
    sealed.assert_readable(&server).await;
}

#[on_each_database(flavor = "multi_thread")]
async fn a_key_that_is_set_is_replaced_while_servers_know_both(database: TestDatabase) {
    let mut sealed = Sealed::new(database).await;
    let secrets = sealed.server.secrets();
    // Those that are set, in the order of their setting, or those of the file, by name.
    let old = &secrets[usize::from(sealed.server.database().is_postgres())];
    sealed.server.terminate().await.expect("it stops");
    let launch = sealed
        .server
        .launch()
        .clone()
        .env("HATO_ENCRYPTION_KEY", NEW_KEY);
    let (code, line) = refusal(&rotate(&launch).await);
    assert_eq!(code, Some(2));
    assert!(line.contains("HATO_PREVIOUS_ENCRYPTION_KEY"), "{line}");

    let both = launch.clone().env("HATO_PREVIOUS_ENCRYPTION_KEY", old);
    let mut server = start(both.clone()).await;
    sealed.assert_readable(&server).await;
    assert_done(&rotate(&both).await, SEALED);
    assert_done(&rotate(&both).await, "0 secrets were encrypted anew");
    sealed.assert_readable(&server).await;
    server.terminate().await.expect("it stops");
    let server = start(launch).await;
    sealed.assert_readable(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_that_was_killed_goes_on() {
    let mut sealed = Sealed::new(TestDatabase::sqlite().await).await;
    sealed.server.terminate().await.expect("it stops");
    let launch = sealed.server.launch().clone();
    let mut rotation = launch.command("rotate-encryption-key");
    let mut rotation = rotation.spawn().expect("the program runs");
    let mut ticks = interval(Duration::from_millis(1));
    while !secrets_file(&sealed.server).contains("previous") {
        ticks.tick().await;
        assert_eq!(rotation.try_wait().expect("it is ours"), None, "too late");
    }
    rotation.kill().await.expect("it is ours");

    let mut server = start(launch.clone()).await;
    sealed.assert_readable(&server).await;
    let second = app(&server, "second@example.com").await;
    server.terminate().await.expect("it stops");
    assert_done(&rotate(&launch).await, "secrets were encrypted anew");
    assert!(!secrets_file(&sealed.server).contains("previous"));
    let server = start(launch).await;
    sealed.assert_readable(&server).await;
    let key = get(
        &second.frontend.at(server.address()),
        "/api/v1/vapid-public-key",
    )
    .await;
    assert_eq!(key.status, 200, "{key}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_neither_key_opens_keeps_both() {
    let mut sealed = Sealed::new(TestDatabase::sqlite().await).await;
    sealed.server.terminate().await.expect("it stops");
    crate::database::execute(
        &sealed.server,
        "UPDATE apps SET sealed_identity_secret = x'00112233'",
    )
    .await;
    let launch = sealed.server.launch().clone();
    let (code, line) = refusal(&rotate(&launch).await);
    assert_eq!(code, Some(1));
    assert!(
        line.contains("4 secrets") && line.contains("neither key opens 1"),
        "{line}"
    );
    assert!(secrets_file(&sealed.server).contains("previous_encryption_key"));
}

/// The status of a request with this raw key.
async fn status_with(server: &HatoServer, raw: &str) -> (u16, String) {
    let reply = get(&server.client().bearer(raw), "/api/v1/stats").await;
    match reply.status.as_u16() {
        200 => (200, String::new()),
        _ => status_and_code(&reply),
    }
}

async fn peppers(launch: &ServerLaunch) -> String {
    let output = admin(launch, &["peppers"], b"").await;
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    text(&output.stdout)
}

const OLD_PEPPER: &str = "abababababababababababababababababababababababababababababababab";
const NEW_PEPPER: &str = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd";

/// An app, and two raw keys of it that are hashed with the old pepper. The server has stopped.
async fn old_keys(launch: &ServerLaunch) -> (OwnedApp, [String; 2]) {
    let old = launch.clone().env("HATO_PEPPER", OLD_PEPPER);
    let mut server = start(old.clone()).await;
    let app = app(&server, "owner@example.com").await;
    let first = app.owner.create_key(&app.id, "z1", "full").await;
    let second = app.owner.create_key(&app.id, "z2", "full").await;
    let said = peppers(&old).await;
    assert!(said.contains("is not set"), "{said}");
    server.terminate().await.expect("it stops");
    (app, [first.expect("a key"), second.expect("a key")])
}

#[on_each_database]
async fn keys_of_the_pepper_before_work_and_are_hashed_anew(database: TestDatabase) {
    const HASHES: &str = "SELECT hash FROM api_keys ORDER BY name";
    let launch = ServerLaunch::on(BINARY, database);
    let (app, [used, unused]) = old_keys(&launch).await;
    let new = launch.env("HATO_PEPPER", NEW_PEPPER);
    let both = new.clone().env("HATO_PREVIOUS_PEPPER", OLD_PEPPER);
    let mut server = start(both.clone()).await;
    let before: Vec<Vec<u8>> = values(&server, HASHES).await;
    let waiting = before.len();
    let said = peppers(&both).await;
    assert!(said.starts_with(&format!("{waiting} keys wait")), "{said}");
    assert!(said.contains(&app.id) && said.contains("z1"), "{said}");
    let asked = (0..8).map(|_| {
        let client = server.client().bearer(&used);
        async move { get(&client, "/api/v1/stats").await }
    });
    let answers = concurrently(asked).await;
    assert_eq!(count(&answers, 200), 8);
    let after: Vec<Vec<u8>> = values(&server, HASHES).await;
    let hashes = before.iter().zip(&after);
    assert_eq!(hashes.filter(|(before, after)| before != after).count(), 1);
    let said = peppers(&both).await;
    assert!(
        said.starts_with(&format!("{} keys wait", waiting - 1)),
        "{said}"
    );
    let unknown = status_with(&server, &format!("pk_{}", "0".repeat(64))).await;
    assert_eq!(unknown, (401, "INVALID_API_KEY".into()));
    server.terminate().await.expect("it stops");

    let server = start(new).await;
    assert_eq!(status_with(&server, &used).await.0, 200);
    let lost = status_with(&server, &unused).await;
    assert_eq!(lost, (401, "INVALID_API_KEY".into()));
}

#[on_each_database]
async fn keys_of_a_third_pepper_are_told_apart(database: TestDatabase) {
    let (mut server, _app) = setup(database).await;
    server.terminate().await.expect("it stops");
    let launch = server.launch().clone().env("HATO_PEPPER", NEW_PEPPER);
    let said = peppers(&launch.env("HATO_PREVIOUS_PEPPER", "ef".repeat(32))).await;
    assert!(said.starts_with("0 keys wait"), "{said}");
    assert!(said.contains("hashed with neither pepper"), "{said}");
}
