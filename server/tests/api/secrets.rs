//! A server whose secrets are missing (CONTRACT 1, `HATO_GENERATE_SECRETS`).

use std::os::unix::fs::PermissionsExt as _;

use aws_lc_rs::hmac::{self, HMAC_SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::database::{DatabaseConnection, value};
use crate::fixtures::{BINARY, app, get, post, registration, send, setup, start, status_and_code};

const CONFIG_ERROR: (u16, &str) = (503, "CONFIG_ERROR");

#[tokio::test]
async fn secrets_are_made_for_their_owner_alone() {
    let (server, _app) = setup(TestDatabase::sqlite().await).await;
    let file = server.data_dir().join("secrets.toml");
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(&file).expect("a file");
    for secret in text.split('"').filter(|part| part.len() == 64) {
        assert!(!server.log().contains(secret));
    }
}

#[on_each_database]
async fn a_database_has_of_a_key_what_only_the_pepper_makes(database: TestDatabase) {
    let pepper = [0xab; 32];
    let launch = ServerLaunch::on(BINARY, database).env("HATO_PEPPER", "ab".repeat(32));
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    let raw = app.owner.create_key(&app.id, "known", "full").await;
    let raw = raw.expect("a key");
    let hash: Vec<u8> = value(&server, "SELECT hash FROM api_keys WHERE name = 'known'").await;
    let keyed = hmac::sign(&hmac::Key::new(HMAC_SHA256, &pepper), raw.as_bytes());
    assert_eq!(hash, keyed.as_ref());
    server.terminate().await.expect("it stops");

    let other = launch.env("HATO_PEPPER", "cd".repeat(32));
    let server = start(other).await;
    let reply = get(&server.client().bearer(&raw), "/api/v1/vapid-public-key").await;
    assert_eq!(status_and_code(&reply), (401, "INVALID_API_KEY".into()));
}

/// Whatever opens something for whoever has it, each with the forms in which it could be stored.
async fn whatever_opens(server: &HatoServer, app: &OwnedApp) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let read = async |rest: &str, member: &str| {
        let value = get(&app.owner, &path(rest)).await.json()[member].clone();
        value.as_str().expect("a text").to_owned()
    };
    let texts = |text: &str, bytes: Option<Vec<u8>>| {
        let forms = [Some(text.as_bytes().to_vec()), bytes];
        forms.into_iter().flatten().collect::<Vec<_>>()
    };
    let url_safe = |text: &str| texts(text, URL_SAFE_NO_PAD.decode(text).ok());
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let key = app.owner.create_key(&app.id, "known", "full").await;
    let key = key.expect("a key");
    let webhook = json!({"webhook_url": "https://hooks.example.com/1"});
    let set = app.owner.patch(&path(""), &webhook).await;
    assert_eq!(set.expect("an answer").status, 200);
    let signing = read("/webhook", "secret").await;
    let identity = read("/identity", "identity_secret").await;
    let keys = get(&app.owner, &path("/vapid-keys")).await.json();
    let export = format!(
        "/vapid-keys/{}/export",
        keys[0]["id"].as_str().expect("an id")
    );
    let exported = post(&app.owner, &path(&export), &json!({"password": PASSWORD})).await;
    let exported = exported.json();
    vec![
        ("the password", texts(PASSWORD, None)),
        ("a session", url_safe(&session.expect("a session"))),
        ("an API key", texts(&key[3..], hex::decode(&key[3..]).ok())),
        (
            "a signing secret",
            texts(&signing[6..], STANDARD.decode(&signing[6..]).ok()),
        ),
        ("an identity secret", url_safe(&identity[6..])),
        (
            "a VAPID key",
            url_safe(exported["private_key"].as_str().expect("a key")),
        ),
    ]
}

/// All that the database holds: its files, or each row of PostgreSQL's as text, which has bytes in hexadecimal.
async fn stored(server: &HatoServer) -> Vec<u8> {
    if !server.database().is_postgres() {
        let files = ["hato.db", "hato.db-wal"].map(|name| server.data_dir().join(name));
        let files = files.map(|file| std::fs::read(file).expect("a file"));
        return files.concat();
    }
    let mut connection = DatabaseConnection::to(server).await;
    let tables = "SELECT relname::TEXT FROM pg_class
                  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
    let mut rows = String::new();
    for table in connection.values::<String>(tables).await {
        let all = format!("SELECT stored::TEXT FROM {table} AS stored");
        rows.extend(connection.values::<String>(&all).await);
    }
    rows.into_bytes()
}

#[on_each_database]
async fn a_stolen_database_opens_nothing(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database);
    let mut server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let secrets = whatever_opens(&server, &app).await;
    let hash: Vec<u8> = value(&server, "SELECT hash FROM api_keys WHERE name = 'known'").await;
    server.kill().await;
    let stored = stored(&server).await;
    let is_in_it = |text: &[u8]| stored.windows(text.len()).any(|part| part == text);
    let holds = |text: &[u8]| is_in_it(text) || is_in_it(hex::encode(text).as_bytes());
    assert!(holds(&hash), "bytes are found");
    for plain in ["owner@example.com", "https://hooks.example.com/1"] {
        assert!(holds(plain.as_bytes()), "{plain} is stored as it is");
    }
    for (what, forms) in secrets {
        assert!(!forms.iter().any(|form| holds(form)), "{what} is stored");
    }
}

#[tokio::test]
async fn files_that_others_may_read_are_named_at_the_start() {
    const WARNING: &str = "others may read or write this file";
    let (mut server, _app) = setup(TestDatabase::sqlite().await).await;
    assert!(!server.log().contains(WARNING), "{}", server.log());
    for (name, mode) in [("secrets.toml", 0o640), ("hato.db", 0o604)] {
        let file = server.data_dir().join(name);
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(file, mode).expect("it is ours");
    }
    server.kill().await;
    server.restart().await.expect("it starts");
    let log = server.log();
    let warnings: Vec<_> = log.lines().filter(|line| line.contains(WARNING)).collect();
    for (name, mode) in [("secrets.toml", "0640"), ("hato.db", "0604")] {
        let named = warnings
            .iter()
            .filter(|line| line.contains(name) && line.contains(mode));
        assert_eq!(named.count(), 1, "{name} in {warnings:?}");
    }
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[on_each_database]
async fn without_secrets_what_needs_them_says_so(database: TestDatabase) {
    let (mut server, app) = setup(database).await;
    server.terminate().await.expect("it stops");
    let bare = start(server.launch().clone().without_secrets()).await;
    for name in ["HATO_PEPPER", "HATO_ENCRYPTION_KEY"] {
        assert!(bare.log().contains(name), "{}", bare.log());
    }

    let login = json!({"email": "owner@example.com", "password": PASSWORD});
    let session = post(&bare.client(), "/auth/login", &login).await.json();
    let owner = bare
        .client()
        .bearer(session["session_token"].as_str().expect("a token"));
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    assert_eq!(get(&owner, &path("/keys")).await.status, 200);
    assert_eq!(get(&owner, &path("/notifications")).await.status, 200);
    let anybody = bare.client().bearer(&format!("pk_{}", "0".repeat(64)));
    for (client, path) in [
        (&owner, path("/keys")),
        (&owner, "/api/v1/apps/app_1/keys".into()),
        (&owner, "/api/v1/apps".into()),
        (&owner, path("/notify")),
        (&owner, path("/webhook/secret")),
        (&owner, path("/webhook/enable")),
        (&anybody, "/api/v1/notify".into()),
        (&anybody, "/api/v1/subscriptions".into()),
    ] {
        let reply = send(client, Method::POST, &path, &[], "no json").await;
        let (status, code) = CONFIG_ERROR;
        assert_eq!(status_and_code(&reply), (status, code.into()), "{path}");
        let expected = json!({"error": "サーバーの設定が完了していません。", "code": code});
        assert_eq!(reply.json(), expected);
    }
    let report = json!({"token": "A".repeat(40), "event": "displayed"});
    let report = post(&bare.client(), "/api/v1/events", &report).await;
    assert_eq!(report.status, 204, "{report}");
    assert!(!bare.data_dir().join("secrets.toml").exists());
}

#[tokio::test]
async fn with_postgresql_none_are_made() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let unset = launch.env("HATO_PEPPER", "").env("HATO_ENCRYPTION_KEY", "");
    let bare = start(unset).await;
    for name in ["HATO_PEPPER", "HATO_ENCRYPTION_KEY"] {
        let line = format!("{name} is missing");
        assert!(bare.log().contains(&line), "{}", bare.log());
    }
    let anybody = bare.client().bearer(&format!("pk_{}", "0".repeat(64)));
    let reply = post(&anybody, "/api/v1/notify", &json!({})).await;
    let (status, code) = CONFIG_ERROR;
    assert_eq!(status_and_code(&reply), (status, code.into()));
    assert!(!bare.data_dir().join("secrets.toml").exists());
}

#[tokio::test]
async fn a_fleet_runs_with_what_print_secrets_writes() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let printed = launch.command("print-secrets").output().await;
    let printed = printed.expect("the program runs");
    assert_eq!(printed.status.code(), Some(0), "{printed:?}");
    let lines = String::from_utf8(printed.stdout).expect("text");
    let secrets = lines.lines().map(|line| line.split_once('='));
    let secrets = secrets.map(|secret| secret.expect("a variable"));
    let launch = secrets.fold(launch, |launch, (name, secret)| launch.env(name, secret));
    let server = start(launch).await;
    // Both are needed for its keys.
    app(&server, "owner@example.com").await;
    let known = server.secrets();
    assert!(known.iter().all(|secret| lines.contains(secret)), "{lines}");
    assert_eq!(known.len(), 2);
}

#[on_each_database]
async fn without_an_encryption_key_browsers_still_register(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_GENERATE_SECRETS", "false")
        .env("HATO_PEPPER", "ab".repeat(32))
        .env("HATO_ENCRYPTION_KEY", "cd".repeat(32));
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    server.terminate().await.expect("it stops");
    let address = server.address().to_string();
    let bare = launch
        .env("HATO_ENCRYPTION_KEY", "")
        .env("HATO_LISTEN", address);
    let _bare = start(bare).await;
    let body = registration("https://push.example.com/1");
    let reply = post(&app.frontend, "/api/v1/subscriptions", &body).await;
    assert_eq!(reply.status, 201, "{reply}");
    let message = json!({"title": "t", "body": "b"});
    for client in [&app.frontend, &app.backend] {
        let reply = post(client, "/api/v1/notify", &message).await;
        let (status, code) = CONFIG_ERROR;
        assert_eq!(status_and_code(&reply), (status, code.into()));
    }
}
