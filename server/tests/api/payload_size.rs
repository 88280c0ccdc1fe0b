//! The size of a payload, to the byte (SPEC 8): title, body, url, icon and badge encoded as JSON.

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, post, send, setup, snapshot, start, status_and_code, wait_until,
};

const MOST: usize = 3_072;

/// What is sent, of `bytes` bytes: the letter as often as it fits, filled up with `x`.
fn sized(template: &Value, letter: char, bytes: usize) -> Value {
    let size = |message: &Value| message.to_string().len();
    let mut message = template.clone();
    message["body"] = json!("");
    let per_letter = json!(letter.to_string()).to_string().len() - 2;
    let room = bytes - size(&message);
    let body = letter.to_string().repeat(room / per_letter) + &"x".repeat(room % per_letter);
    message["body"] = json!(body);
    assert_eq!(size(&message), bytes);
    message
}

fn templates() -> [Value; 3] {
    [
        json!({"title": "t"}),
        json!({"title": "題「鳩」\n\\", "url": "https://example.com"}),
        json!({
            "title": "t", "url": "https://example.com/a?b=c#d", "icon": "https://example.com/i",
            "badge": "https://例え.jp/b",
        }),
    ]
}

fn sends(app: &OwnedApp, message: &Value) -> [(Client, String, Value); 3] {
    let batch = json!({"endpoints": ["https://push.example.com/1"], "payload": message});
    [
        (
            app.backend.clone(),
            "/api/v1/notify".into(),
            message.clone(),
        ),
        (app.backend.clone(), "/api/v1/notify/batch".into(), batch),
        (
            app.admin.clone(),
            format!("/api/v1/apps/{}/notify", app.id),
            message.clone(),
        ),
    ]
}

#[on_each_database]
async fn the_limit_is_exact_to_the_byte_whatever_the_letters(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for template in templates() {
        for letter in [
            'a', 'é', '鳩', '🕊', '"', '\\', '\n', '\u{1}', '/', '<', '\u{2028}',
        ] {
            for (bytes, status, code) in [(MOST, 202, ""), (MOST + 1, 413, "PAYLOAD_TOO_LARGE")] {
                for (client, path, body) in sends(&app, &sized(&template, letter, bytes)) {
                    let reply = post(&client, &path, &body).await;
                    assert_eq!(
                        status_and_code(&reply),
                        (status, code.into()),
                        "{letter:?} {bytes} {path}"
                    );
                }
            }
        }
    }
}

#[on_each_database]
async fn what_is_no_part_of_the_payload_does_not_count(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut message = sized(&json!({"title": "t"}), 'a', MOST);
    for (member, value) in [
        ("ttl", json!(60)),
        ("urgency", json!("very-low")),
        ("topic", json!("t".repeat(32))),
        ("icon", json!(null)),
        ("badge", json!("")),
        ("unknown", json!("u".repeat(1_000))),
    ] {
        message[member] = value;
    }
    for (client, path, body) in sends(&app, &message) {
        assert_eq!(post(&client, &path, &body).await.status, 202, "{path}");
    }
}

#[on_each_database]
async fn the_request_may_spell_it_longer(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let message = sized(&json!({"title": "t"}), '鳩', MOST).to_string();
    let spelt = message.replace('鳩', "\\u9ce9").replace("\":", "\" :  ");
    let path = "/api/v1/notify";
    let reply = send(&app.backend, Method::POST, path, &[], spelt).await;
    assert_eq!(reply.status, 202, "{reply}");
}

#[on_each_database]
async fn too_large_a_payload_is_told_after_what_else_is_wrong_with_it(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let before = snapshot(&app).await;
    let large = "x".repeat(MOST);
    for (body, expected) in [
        (json!({"body": large}), (400, "MISSING_FIELDS")),
        (
            json!({"title": "t", "body": large, "url": "http://example.com/"}),
            (400, "INVALID_URL"),
        ),
        (
            json!({"title": "t", "body": large, "ttl": -1}),
            (400, "INVALID_INPUT"),
        ),
        (
            json!({"title": "t", "body": large, "endpoint": "https://push.example.com/unknown"}),
            (413, "PAYLOAD_TOO_LARGE"),
        ),
    ] {
        let (status, code) = expected;
        let reply = post(&app.backend, "/api/v1/notify", &body).await;
        assert_eq!(status_and_code(&reply), (status, code.into()));
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn the_largest_payload_arrives(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    post(
        &app.frontend,
        "/api/v1/subscriptions",
        &browser.registration(),
    )
    .await;
    let message = sized(&templates()[2], '鳩', MOST);
    assert_eq!(
        post(&app.backend, "/api/v1/notify", &message).await.status,
        202
    );
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    wait_until(&app.owner, &path, |it| it["items"][0]["status"] == "done").await;
    push.assert_no_violations();
    push.seen(|seen| {
        let plaintext = seen.messages[0]
            .plaintext
            .as_ref()
            .expect("it was decrypted");
        assert_eq!((plaintext.len(), seen.messages[0].json()), (MOST, message));
    });
}
