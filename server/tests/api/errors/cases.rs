//! What has to be done to be refused with each code.

use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use http::Method;
use serde_json::{Value, json};

use super::ErrorCase;
use crate::database::{execute, fill_keys};
use crate::fixtures::{BINARY, app, get, post, registration, send, start, subscribe};
use crate::held_requests::hold_requests;

/// The server's `HATO_PRICING_URL`, which errors about a plan's limit link to.
pub const PRICING_URL: &str = "https://pricing.example/plans";

pub fn launch(database: TestDatabase) -> ServerLaunch {
    ServerLaunch::on(BINARY, database).env("HATO_PRICING_URL", PRICING_URL)
}

pub async fn setup(database: TestDatabase) -> (HatoServer, OwnedApp) {
    let server = start(launch(database)).await;
    let app = app(&server, "owner@example.com").await;
    (server, app)
}

fn message() -> Value {
    json!({"title": "t", "body": "b"})
}

pub async fn by_bodies(database: TestDatabase) -> Vec<ErrorCase> {
    let (_server, app) = setup(database).await;
    let (subscriptions, notify) = ("/api/v1/subscriptions", "/api/v1/notify");
    let many = vec!["https://push.example.com/1"; 101];
    let mut cases = Vec::new();
    for (code, path, body) in [
        (ErrorCode::MissingFields, notify, json!({"title": "t"})),
        (
            ErrorCode::InvalidUrl,
            subscriptions,
            registration("http://push.example.com/1"),
        ),
        (
            ErrorCode::InvalidEndpoint,
            subscriptions,
            registration("https://u:p@push.example.com/"),
        ),
        (ErrorCode::InvalidInput, notify, json!([])),
        (
            ErrorCode::PayloadTooLarge,
            notify,
            json!({"title": "t", "body": "b".repeat(3_072)}),
        ),
        (ErrorCode::NotFound, "/api/v1/nothing", json!({})),
        (
            ErrorCode::TooManyEndpoints,
            "/api/v1/notify/batch",
            json!({"endpoints": many, "payload": message()}),
        ),
    ] {
        cases.push((code, post(&app.admin, path, &body).await));
    }
    let mut stranger = registration("https://push.example.com/1");
    stranger["user_id"] = json!("4711");
    let unproven = post(&app.frontend, subscriptions, &stranger).await;
    cases.push((ErrorCode::InvalidUserToken, unproven));
    cases.push((ErrorCode::InvalidScope, bad_scope(&app).await));
    cases.push((ErrorCode::MethodNotAllowed, get(&app.admin, notify).await));
    cases.push((ErrorCode::IdempotencyConflict, conflict(&app).await));
    cases.push((ErrorCode::KeyInUse, primary_key_deleted(&app).await));
    cases
}

async fn primary_key_deleted(app: &OwnedApp) -> Reply {
    let path = format!("/api/v1/apps/{}/vapid-keys", app.id);
    let keys = get(&app.owner, &path).await.json();
    let id = keys[0]["id"].as_str().expect("an id");
    let deleted = app.owner.delete(&format!("{path}/{id}")).await;
    deleted.expect("an answer")
}

async fn bad_scope(app: &OwnedApp) -> Reply {
    let path = format!("/api/v1/apps/{}/keys", app.id);
    post(&app.owner, &path, &json!({"name": "n", "scope": "admin"})).await
}

async fn conflict(app: &OwnedApp) -> Reply {
    let send_as = async |body: Value| {
        let headers = [("idempotency-key", "k")];
        send(
            &app.backend,
            Method::POST,
            "/api/v1/notify",
            &headers,
            body.to_string(),
        )
        .await
    };
    assert_eq!(send_as(message()).await.status, 202);
    send_as(json!({"title": "t", "body": "other"})).await
}

pub async fn by_credentials(database: TestDatabase) -> Vec<ErrorCase> {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let nobody = server.client();
    let of_other = format!("/api/v1/apps/{}", second.id);
    let unknown = nobody.bearer(&format!("pk_{}", "0".repeat(64)));
    vec![
        (ErrorCode::Unauthorized, get(&nobody, "/api/v1/apps").await),
        (
            ErrorCode::InvalidApiKey,
            get(&unknown, "/api/v1/apps").await,
        ),
        (
            ErrorCode::InvalidSession,
            get(&nobody.bearer("dead"), "/api/v1/apps").await,
        ),
        (
            ErrorCode::InsufficientScope,
            get(&first.backend, &of_other).await,
        ),
        (ErrorCode::AppMismatch, get(&first.admin, &of_other).await),
        (ErrorCode::NotFound, get(&first.owner, &of_other).await),
        (ErrorCode::InvalidOrigin, foreign_login(&nobody).await),
    ]
}

async fn foreign_login(client: &Client) -> Reply {
    let headers = [("origin", "https://evil.example")];
    send(client, Method::POST, "/auth/login", &headers, "{}").await
}

pub async fn by_accounts(database: TestDatabase) -> Vec<ErrorCase> {
    let server = start(launch(database)).await;
    let client = server.client();
    let account = |email: &str, password: &str| json!({"email": email, "password": password});
    post(
        &client,
        "/auth/register",
        &account("a@example.com", PASSWORD),
    )
    .await;
    let mut cases = Vec::new();
    for (code, path, body) in [
        (
            ErrorCode::InvalidEmail,
            "/auth/register",
            account("no address", PASSWORD),
        ),
        (
            ErrorCode::InvalidInput,
            "/auth/register",
            account("b@example.com", "short"),
        ),
        (
            ErrorCode::EmailInUse,
            "/auth/register",
            account("A@example.com", PASSWORD),
        ),
        (
            ErrorCode::InvalidCredentials,
            "/auth/login",
            account("a@example.com", "wrong password"),
        ),
    ] {
        cases.push((code, post(&client, path, &body).await));
    }
    cases.push((ErrorCode::RateLimited, sixth_registration(&client).await));
    cases
}

/// Four have been counted.
async fn sixth_registration(client: &Client) -> Reply {
    post(client, "/auth/register", &json!({})).await;
    post(client, "/auth/register", &json!({})).await
}

/// A Free account at each of its limits: one app, 1,000 subscribers, 30,000 notifications.
pub async fn by_a_plan(database: TestDatabase) -> Vec<ErrorCase> {
    let server = start(launch(database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    subscribe(&app, 1_000).await;
    for _ in 0..30 {
        assert_eq!(
            post(&app.backend, "/api/v1/notify", &message())
                .await
                .status,
            202
        );
    }
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    let new = registration("https://push.example.com/new");
    let webhook = json!({"webhook_url": "https://example.com/"});
    let changed = app
        .owner
        .patch(&path(""), &webhook)
        .await
        .expect("an answer");
    vec![
        (
            ErrorCode::PlanLimitExceeded,
            post(&app.owner, "/api/v1/apps", &json!({"name": "n"})).await,
        ),
        (ErrorCode::PlanRequired, changed),
        (
            ErrorCode::SubscriberLimitExceeded,
            post(&app.frontend, &path("/subscriptions"), &new).await,
        ),
        (
            ErrorCode::MonthlyLimitExceeded,
            post(&app.backend, "/api/v1/notify", &message()).await,
        ),
        (
            ErrorCode::MonthlyLimitExceeded,
            post(&app.owner, &path("/notify"), &message()).await,
        ),
    ]
}

/// As many keys as an app may have, and as many requests as an address may have in flight.
pub async fn by_numbers(database: TestDatabase) -> Vec<ErrorCase> {
    let (server, app) = setup(database).await;
    let held_key = app.owner.create_key(&app.id, "held", "notify").await;
    fill_keys(&server).await;
    let path = format!("/api/v1/apps/{}/keys", app.id);
    let key = json!({"name": "n", "scope": "notify"});
    let too_many = post(&app.owner, &path, &key).await;
    let held = hold_requests(&server, &held_key.expect("a key"), 100, None).await;
    let overloaded = get(&app.owner, "/api/v1/apps").await;
    drop(held);
    vec![
        (ErrorCode::TooManyKeys, too_many),
        (ErrorCode::Overloaded, overloaded),
    ]
}

pub async fn by_settings(database: TestDatabase) -> Vec<ErrorCase> {
    let bare = start(launch(database.another().await).without_secrets()).await;
    let anybody = bare.client().bearer(&format!("pk_{}", "0".repeat(64)));
    let closed = start(launch(database).env("HATO_REGISTRATION", "closed")).await;
    let account = json!({"email": "a@example.com", "password": PASSWORD});
    vec![
        (
            ErrorCode::ConfigError,
            post(&anybody, "/api/v1/notify", &message()).await,
        ),
        (
            ErrorCode::RegistrationClosed,
            post(&closed.client(), "/auth/register", &account).await,
        ),
    ]
}

pub async fn by_a_broken_database(database: TestDatabase) -> Vec<ErrorCase> {
    let (server, app) = setup(database).await;
    execute(&server, "ALTER TABLE subscriptions RENAME TO misplaced").await;
    let body = registration("https://push.example.com/1");
    let reply = post(&app.frontend, "/api/v1/subscriptions", &body).await;
    assert!(!reply.text().contains("subscriptions"), "{reply}");
    assert_eq!(get(&server.client(), "/healthz").await.status, 200);
    vec![(ErrorCode::InternalError, reply)]
}
