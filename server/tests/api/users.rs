//! A site's users: how a visitor proves to be one, and how one is erased (CONTRACT 12).

mod erasing;
mod erasing_scheduled;
mod visitors;

use aws_lc_rs::hmac::{self, HMAC_SHA256};
use hato_domain::UnixMillis;
use hato_service::ports::{Clock as _, SystemClock};
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::database::execute;
use crate::fixtures::{
    BINARY, app, concurrently, get, post, registration, snapshot, start, status_and_code,
};
use crate::profiles::{ENDPOINT, SUBSCRIPTIONS, change, register, setup, stored};

const DAY: i64 = 24 * 60 * 60 * 1_000;

async fn identity(app: &OwnedApp) -> Value {
    let reply = get(&app.owner, &path(app, "/identity")).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

async fn rotate(app: &OwnedApp) -> Value {
    let reply = post(&app.admin, &path(app, "/identity/secret"), &json!({})).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

fn path(app: &OwnedApp, rest: &str) -> String {
    format!("/api/v1/apps/{}{rest}", app.id)
}

/// The user's token, as the site makes it.
pub fn token(secret: &Value, app: &str, user: &str) -> String {
    let secret = secret.as_str().expect("a secret");
    let key = hmac::Key::new(HMAC_SHA256, secret.as_bytes());
    hex::encode(hmac::sign(&key, format!("{app}\n{user}").as_bytes()))
}

/// The answers of every request that names a user.
async fn identify(client: &Client, app: &OwnedApp, members: &Value) -> [Reply; 3] {
    let mut body = registration(ENDPOINT);
    for (name, value) in members.as_object().expect("an object") {
        body[name] = value.clone();
    }
    [
        post(client, SUBSCRIPTIONS, &body).await,
        post(client, &path(app, "/subscriptions"), &body).await,
        change(client, ENDPOINT, members.clone()).await,
    ]
}

#[on_each_database]
async fn the_secret_is_made_when_it_is_asked_for(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let asked = (0..8).map(|_| {
        let (admin, path) = (app.admin.clone(), path(&app, "/identity"));
        async move { get(&admin, &path).await }
    });
    let answers = concurrently(asked).await;
    let first = identity(&app).await;
    let secret = first["identity_secret"].as_str().expect("a secret");
    assert!(
        secret.starts_with("idsec_") && secret.len() == 49,
        "{secret}"
    );
    let expected = json!({"identity_secret": secret, "previous_secret": null,
                          "previous_secret_expires_at": null});
    assert!(
        answers.iter().all(|it| it.json() == expected),
        "all get the same"
    );
    assert_eq!(first, expected);
}

#[on_each_database]
async fn both_secrets_hold_for_a_day(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let first = identity(&app).await["identity_secret"].clone();
    let now = SystemClock.now().0;
    let rotated = rotate(&app).await;
    let second = rotated["identity_secret"].clone();
    assert_ne!(second, first);
    assert_eq!(rotated["previous_secret"], first);
    let expires_at = rotated["previous_secret_expires_at"]
        .as_i64()
        .expect("a time");
    assert!(
        (now + DAY..now + DAY + 60_000).contains(&expires_at),
        "{expires_at}"
    );
    assert_eq!(identity(&app).await, rotated);
    register(&app.frontend, ENDPOINT, json!({})).await;
    let takes = async |secret: &Value| {
        let proof = json!({"user_id": "u", "user_token": token(secret, &app.id, "u")});
        change(&app.frontend, ENDPOINT, proof).await.status.as_u16()
    };
    assert_eq!((takes(&first).await, takes(&second).await), (200, 200));

    let UnixMillis(past) = SystemClock.now();
    let end = format!("UPDATE apps SET previous_identity_secret_expires_at = {past}");
    execute(&server, &end).await;
    assert_eq!((takes(&first).await, takes(&second).await), (403, 200));
    let ended = identity(&app).await;
    assert_eq!(ended["identity_secret"], second);
    assert_eq!(ended["previous_secret"], json!(null));
    assert_eq!(ended["previous_secret_expires_at"], json!(null));

    let third = rotate(&app).await;
    assert_eq!(third["previous_secret"], second);
    assert_eq!(
        (takes(&second).await, takes(&third["identity_secret"]).await),
        (200, 200)
    );
}

#[on_each_database]
async fn a_second_rotation_within_a_day_ends_the_oldest_secret(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.frontend, ENDPOINT, json!({})).await;
    let first = identity(&app).await["identity_secret"].clone();
    let second = rotate(&app).await["identity_secret"].clone();
    let rotated = rotate(&app).await;
    assert_eq!(rotated["previous_secret"], second);
    let third = &rotated["identity_secret"];
    for (secret, status) in [(&first, 403), (&second, 200), (third, 200)] {
        let proof = json!({"user_id": "u", "user_token": token(secret, &app.id, "u")});
        let answer = change(&app.frontend, ENDPOINT, proof).await;
        assert_eq!(answer.status, status, "{answer}");
    }
}

/// Whom a visitor claims to be.
const USER: &str = "山田 4711";

/// What does not prove the user to the first of two apps: `good` does.
fn bad_tokens(
    (secret, others): (&Value, &Value),
    (app, other): (&str, &str),
    good: &str,
) -> Vec<Value> {
    vec![
        json!(null),
        json!(""),
        json!(good.to_uppercase()),
        json!(good[..63]),
        json!(good[..62]),
        json!(format!("{good}0")),
        json!(format!("{good}00")),
        json!(format!(" {good}")),
        json!("0".repeat(64)),
        json!("g".repeat(64)),
        json!(token(secret, app, "山田 471")),
        json!(token(secret, other, USER)),
        json!(token(others, app, USER)),
        json!(token(others, other, USER)),
        json!(token(secret, "", USER)),
    ]
}

#[on_each_database]
async fn a_visitor_proves_to_be_a_user(database: TestDatabase) {
    let (server, first) = setup(database).await;
    let second = app(&server, "other@example.com").await;
    let secret = identity(&first).await["identity_secret"].clone();
    let others = identity(&second).await["identity_secret"].clone();
    let good = token(&secret, &first.id, USER);
    register(&first.frontend, ENDPOINT, json!({"tags": ["a"]})).await;
    let before = (snapshot(&first).await, stored(&first, ENDPOINT).await);
    let secrets = (&secret, &others);
    for bad in bad_tokens(secrets, (&first.id, &second.id), &good) {
        let members = json!({"user_id": USER, "user_token": bad, "tags": ["b"], "lang": "ja"});
        for refused in identify(&first.frontend, &first, &members).await {
            assert_eq!(
                status_and_code(&refused),
                (403, "INVALID_USER_TOKEN".into()),
                "{bad}"
            );
        }
        let new = register(&first.frontend, "https://push.example.com/2", members).await;
        assert_eq!(
            status_and_code(&new),
            (403, "INVALID_USER_TOKEN".into()),
            "{bad}"
        );
    }
    assert_eq!(
        (snapshot(&first).await, stored(&first, ENDPOINT).await),
        before
    );
    let members = json!({"user_id": USER, "user_token": good});
    for taken in identify(&first.frontend, &first, &members).await {
        assert_eq!(taken.status, 200, "{taken}");
    }
    assert_eq!(stored(&first, ENDPOINT).await["user_id"], USER);
    let forgotten = change(&first.frontend, ENDPOINT, json!({"user_id": null})).await;
    assert_eq!(forgotten.json()["user_id"], json!(null), "{forgotten}");
}

#[on_each_database]
async fn without_a_secret_no_token_proves_anything(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.frontend, ENDPOINT, json!({})).await;
    let empty = token(&json!(""), &app.id, "u");
    let members = json!({"user_id": "u", "user_token": empty});
    for refused in identify(&app.frontend, &app, &members).await {
        assert_eq!(
            status_and_code(&refused),
            (403, "INVALID_USER_TOKEN".into())
        );
    }
}

#[on_each_database]
async fn the_token_is_judged_after_the_body_and_before_the_subscription(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let secret = identity(&app).await["identity_secret"].clone();
    let bad = json!({"user_id": "u", "user_token": "x"});
    let unknown = change(&app.frontend, ENDPOINT, bad.clone()).await;
    assert_eq!(
        status_and_code(&unknown),
        (403, "INVALID_USER_TOKEN".into())
    );
    let good = json!({"user_id": "u", "user_token": token(&secret, &app.id, "u")});
    let unknown = change(&app.frontend, ENDPOINT, good).await;
    assert_eq!(status_and_code(&unknown), (404, "NOT_FOUND".into()));
    for (member, value, code) in [
        ("lang", json!("_"), "INVALID_INPUT"),
        ("tags", json!(["_vip"]), "INVALID_INPUT"),
        ("endpoint", json!(""), "MISSING_FIELDS"),
        (
            "endpoint",
            json!("http://push.example.com/1"),
            "INVALID_URL",
        ),
    ] {
        let mut members = bad.clone();
        members[member] = value;
        for refused in identify(&app.frontend, &app, &members).await {
            assert_eq!(status_and_code(&refused), (400, code.into()), "{members}");
        }
    }
}

#[on_each_database]
async fn who_has_another_key_needs_no_token(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    register(&app.frontend, ENDPOINT, json!({})).await;
    for client in [&app.backend, &app.admin] {
        for token in [json!(null), json!("wrong")] {
            let members = json!({"user_id": "u", "user_token": token});
            for taken in identify(client, &app, &members).await {
                assert_eq!(taken.status, 200, "{taken}");
            }
        }
        let members = json!({"user_id": "v", "user_token": 1});
        for refused in identify(client, &app, &members).await {
            assert_eq!(status_and_code(&refused), (400, "INVALID_INPUT".into()));
        }
    }
    assert_eq!(stored(&app, ENDPOINT).await["user_id"], "u");
}

#[on_each_database]
async fn secrets_take_the_encryption_key(database: TestDatabase) {
    let pepper = ("HATO_PEPPER", "ab".repeat(32));
    let launch = ServerLaunch::on(BINARY, database).env(pepper.0, &pepper.1);
    let with_key = launch.clone().env("HATO_ENCRYPTION_KEY", "cd".repeat(32));
    let mut server = start(with_key).await;
    let mut app = app(&server, "owner@example.com").await;
    register(&app.frontend, ENDPOINT, json!({})).await;
    let secret = identity(&app).await["identity_secret"].clone();
    server.terminate().await.expect("it stops");
    let server = start(launch.without_secrets().env(pepper.0, &pepper.1)).await;
    for client in [&mut app.owner, &mut app.admin, &mut app.frontend] {
        *client = client.at(server.address());
    }
    let proof = json!({"user_id": "u", "user_token": token(&secret, &app.id, "u")});
    for refused in [
        get(&app.owner, &path(&app, "/identity")).await,
        post(&app.admin, &path(&app, "/identity/secret"), &json!({})).await,
        change(&app.frontend, ENDPOINT, proof).await,
    ] {
        assert_eq!(status_and_code(&refused), (503, "CONFIG_ERROR".into()));
    }
    let without_user = change(&app.frontend, ENDPOINT, json!({"tags": ["a"]})).await;
    assert_eq!(without_user.status, 200, "{without_user}");
}
