//! Rich members of a notification (CONTRACT 13).

use hato_testkit::client::Client;
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use crate::fixtures::{
    BINARY, app, post, setup, snapshot, start, status_and_code, subscribe, wait_until,
};
use crate::mcp::call;

/// Most bytes of a whole message.
const MOST: usize = 3_993;

fn full_notification() -> Value {
    json!({
        "title": "題",
        "body": "本文",
        "icon": "https://example.com/i.png",
        "badge": "https://example.com/b.png",
        "url": "https://example.com/",
        "image": "https://example.com/p.png",
        "actions": [
            {"action": "buy", "title": "買う", "url": "https://example.com/buy", "icon": "https://example.com/c.png"},
            {"action": "later", "title": "あとで"},
        ],
        "tag": "news",
        "renotify": true,
        "require_interaction": true,
        "silent": false,
        "data": {"order": 17, "lines": [{"sku": "鳩"}], "latitude": 31.245_270_191_439_438},
        "dir": "auto",
        "lang": "ja-JP",
        "timestamp": 1_790_000_000_000_i64,
        "app_badge": 3,
    })
}

/// The three sends of a message, each as somebody may make it.
fn sends(app: &OwnedApp, message: &Value, endpoint: &str) -> [(Client, String, Value); 3] {
    let batch = json!({"endpoints": [endpoint], "payload": message});
    let broadcast = format!("/api/v1/apps/{}/notify", app.id);
    [
        (
            app.backend.clone(),
            "/api/v1/notify".into(),
            message.clone(),
        ),
        (app.backend.clone(), "/api/v1/notify/batch".into(), batch),
        (app.admin.clone(), broadcast, message.clone()),
    ]
}

#[on_each_database]
async fn all_three_sends_carry_the_members_that_are_given(database: TestDatabase) {
    let push = PushService::start().await;
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&push)).await;
    let app = app(&server, "owner@example.com").await;
    let browser = push.subscribe(Some(&app.vapid_public_key));
    let registration = browser.registration();
    let registered = post(&app.frontend, "/api/v1/subscriptions", &registration).await;
    assert_eq!(registered.status, 201, "{registered}");
    let plain = json!({"title": "t", "body": "b"});
    let mut empty = plain.clone();
    for member in full_notification().as_object().expect("members").keys() {
        if !["title", "body"].contains(&member.as_str()) {
            empty[member] = json!(null);
        }
    }
    let mut sent = 0;
    for (message, expected) in [(full_notification(), full_notification()), (empty, plain)] {
        for (client, path, body) in sends(&app, &message, &browser.endpoint) {
            let reply = post(&client, &path, &body).await;
            assert_eq!(reply.status, 202, "{path} {reply}");
            sent += 1;
            push.wait_until(|seen| seen.messages.len() == sent).await;
            let got = push.seen(|seen| seen.messages[sent - 1].json());
            assert_eq!(got, expected, "{path}");
        }
    }
    let result = call(&app.admin, "send_notification", full_notification()).await;
    assert_eq!(result["structuredContent"]["queued"], 1, "{result}");
    push.wait_until(|seen| seen.messages.len() == sent + 1)
        .await;
    let got = push.seen(|seen| seen.messages[sent].json());
    assert_eq!(got, full_notification(), "MCP");
    push.assert_no_violations();
    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let history = wait_until(&app.owner, &path, |it| it["items"][0]["status"] == "done").await;
    assert_eq!(history["items"][0]["title"], "題");
}

#[on_each_database]
async fn without_rich_members_a_message_is_what_it_was_to_the_byte(database: TestDatabase) {
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
    let message = json!({"url": "https://example.com/", "body": "b", "title": "t"});
    assert_eq!(
        post(&app.backend, "/api/v1/notify", &message).await.status,
        202
    );
    push.wait_until(|seen| seen.messages.len() == 1).await;
    let plaintext = push.seen(|seen| seen.messages[0].plaintext.clone());
    let expected = r#"{"title":"t","body":"b","url":"https://example.com/"}"#;
    assert_eq!(plaintext.as_deref(), Some(expected.as_bytes()));
}

#[on_each_database]
async fn what_is_wrong_is_refused_with_its_code_and_nothing_is_queued(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    subscribe(&app, 1).await;
    let before = snapshot(&app).await;
    let button = |changed: Value| {
        let mut button = json!({"action": "a", "title": "A"});
        for (member, value) in changed.as_object().expect("members") {
            button[member] = value.clone();
        }
        json!([button])
    };
    let buttons = |count: usize| {
        let buttons = (0..count).map(|at| json!({"action": at.to_string(), "title": "A"}));
        buttons.collect::<Value>()
    };
    for (members, code) in [
        (json!({"image": "http://example.com/p.png"}), "INVALID_URL"),
        (
            json!({"actions": button(json!({"url": "http://example.com/"}))}),
            "INVALID_URL",
        ),
        (
            json!({"actions": button(json!({"icon": "data:,x"}))}),
            "INVALID_URL",
        ),
        (json!({"actions": buttons(4)}), "INVALID_INPUT"),
        (
            json!({"actions": button(json!({"action": "x".repeat(33)}))}),
            "INVALID_INPUT",
        ),
        (
            json!({"actions": button(json!({"action": ""}))}),
            "INVALID_INPUT",
        ),
        (
            json!({"actions": button(json!({"title": null}))}),
            "INVALID_INPUT",
        ),
        (
            json!({"actions": {"action": "a", "title": "A"}}),
            "INVALID_INPUT",
        ),
        (json!({"actions": ["a"]}), "INVALID_INPUT"),
        (json!({"tag": "x".repeat(65)}), "INVALID_INPUT"),
        (json!({"renotify": true}), "INVALID_INPUT"),
        (
            json!({"renotify": true, "tag": "t", "silent": true}),
            "INVALID_INPUT",
        ),
        (json!({"silent": "yes"}), "INVALID_INPUT"),
        (json!({"require_interaction": 1}), "INVALID_INPUT"),
        (json!({"data": []}), "INVALID_INPUT"),
        (
            json!({"data": {"d": "x".repeat(1_025 - r#"{"d":""}"#.len())}}),
            "INVALID_INPUT",
        ),
        (json!({"dir": "up"}), "INVALID_INPUT"),
        (json!({"lang": "ja_JP"}), "INVALID_INPUT"),
        (json!({"timestamp": "2026-01-01"}), "INVALID_INPUT"),
        (json!({"app_badge": 1_000_000}), "INVALID_INPUT"),
        (json!({"app_badge": -1}), "INVALID_INPUT"),
    ] {
        let mut message = json!({"title": "t", "body": "b"});
        for (member, value) in members.as_object().expect("members") {
            message[member] = value.clone();
        }
        for (client, path, body) in sends(&app, &message, "https://push.example.com/1") {
            let reply = post(&client, &path, &body).await;
            assert_eq!(
                status_and_code(&reply),
                (400, code.into()),
                "{path} {members}"
            );
        }
    }
    assert_eq!(snapshot(&app).await, before);
}

#[on_each_database]
async fn a_member_at_its_bound_is_taken(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for members in [
        json!({"actions": []}),
        json!({"actions": [{"action": "鳩".repeat(32), "title": "A"}]}),
        json!({"tag": "鳩".repeat(64), "renotify": true}),
        json!({"renotify": false}),
        json!({"data": {"d": "x".repeat(1_024 - r#"{"d":""}"#.len())}}),
        json!({"timestamp": 0, "app_badge": 999_999}),
    ] {
        let mut message = json!({"title": "t", "body": "b"});
        for (member, value) in members.as_object().expect("members") {
            message[member] = value.clone();
        }
        let reply = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(reply.status, 202, "{members} {reply}");
    }
}

/// A message of so many bytes in all, of which title and body have less than 3,072.
fn sized(bytes: usize) -> Value {
    let mut message = json!({
        "title": "t",
        "body": "",
        "data": {"d": "x".repeat(1_000)},
    });
    let room = bytes - message.to_string().len();
    message["body"] = json!("x".repeat(room));
    message
}

#[on_each_database]
async fn the_whole_message_has_a_limit_in_each_form(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = format!("/api/v1/apps/{}", app.id);
    let judge = async |bytes: usize| {
        let mut codes = Vec::new();
        for (client, path, body) in sends(&app, &sized(bytes), "https://push.example.com/1") {
            codes.push(status_and_code(&post(&client, &path, &body).await));
        }
        assert!(codes.iter().all(|it| *it == codes[0]), "{codes:?}");
        codes.remove(0)
    };
    let too_large = (413, "PAYLOAD_TOO_LARGE".to_owned());
    assert_eq!(judge(MOST).await.0, 202);
    assert_eq!(judge(MOST + 1).await, too_large);
    // A token of 40 characters, and its name.
    let with_token = MOST - 40 - r#","t":"""#.len();
    let set = app.owner.patch(&path, &json!({"tracking": "counts"})).await;
    assert_eq!(set.expect("an answer").status, 200);
    assert_eq!(judge(with_token).await.0, 202);
    assert_eq!(judge(with_token + 1).await, too_large);
    let declarative =
        json!({"tracking": "off", "site_url": "https://shop.example/", "declarative": true});
    let set = app.owner.patch(&path, &declarative).await;
    assert_eq!(set.expect("an answer").status, 200);
    let frame =
        r#"{"web_push":8030,"notification":{"navigate":"https://shop.example/",}}"#.len() - 2;
    assert_eq!(judge(MOST - frame).await.0, 202);
    assert_eq!(judge(MOST - frame + 1).await, too_large);
}

#[on_each_database]
async fn the_five_members_keep_their_own_limit(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let frame = r#"{"title":"t","body":""}"#.len();
    for (bytes, status) in [(3_072, 202), (3_073, 413)] {
        let body = "x".repeat(bytes - frame);
        let message = json!({"title": "t", "body": body, "tag": "x", "silent": true});
        let reply = post(&app.backend, "/api/v1/notify", &message).await;
        assert_eq!(reply.status, status, "{reply}");
    }
}
