//! Runs every command of docs/API.md against a server, so that the document shows nothing that fails.

use hato_testkit::github::Github;
use hato_testkit::owner::PASSWORD;
use serde_json::{Value, json};

use super::{blocks, document, shell};
use crate::setup::{CliSetup, EMAIL, launch};

/// A refusal fails the script; what is for people, `-i` aside, is left out.
pub const CURL: &str = "curl() { command curl --silent --show-error --fail-with-body \"$@\"; }\n";

/// Each block has an app of its own, because blocks delete what they name.
#[tokio::test]
async fn every_command_of_the_reference() {
    let github = Github::start().await;
    let launch = launch().with_github(&github);
    let setup = CliSetup::with_launch(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let session = log_in(&setup).await;
    let commands = blocks(&document("API.md"), "sh");
    assert!(commands.len() > 30, "{}", commands.len());
    for block in commands {
        let block = block.replace("correct horse battery", PASSWORD);
        // It goes on and on; here curl ends it, and says so by failing.
        let is_endless = block.contains("/events/stream");
        let block = block.replace("/events/stream", "/events/stream --max-time 2");
        let script = CURL.to_owned() + &block.replace(EMAIL, "somebody@example.com");
        let mut command = shell(setup.home.path(), &setup.server, &script);
        command.env("HATO", setup.server.url());
        if block.contains("/auth/logout") {
            command.envs(variables(&setup, &log_in(&setup).await).await);
        } else {
            command.envs(variables(&setup, &session).await);
        }
        let output = command.output().await.expect("it runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        // The only one that says of itself that it is refused.
        let is_refused = block.contains("INVALID_STATE");
        assert_eq!(
            output.status.success(),
            !is_refused && !is_endless,
            "{block}{stdout}{errors}"
        );
        assert!(
            !is_endless || stdout == ": listening\n\n",
            "{stdout}{errors}"
        );
        assert!(!is_refused || stdout.contains("INVALID_STATE"), "{stdout}");
    }
}

pub async fn log_in(setup: &CliSetup) -> String {
    let session = setup.server.client().log_in(EMAIL, PASSWORD).await;
    session.expect("a session")
}

/// The variables of the page's beginning.
pub async fn variables(setup: &CliSetup, session: &str) -> Vec<(&'static str, String)> {
    let owner = &setup.app.owner;
    let app = owner.create_app("Another").await.expect("an app");
    let app = text(&app, "appId");
    let path = |rest: &str| format!("/api/v1/apps/{app}{rest}");
    let key = async |scope: &str| owner.create_key(&app, "a", scope).await.expect("a key");
    let hook = json!({"webhook_url": "https://hooks.example.com/"});
    let hooked = owner.patch(&path(""), &hook).await.expect("an answer");
    assert_eq!(hooked.status, 200, "{hooked}");
    let message = json!({"title": "a", "body": "b"});
    let sent = owner.post(&path("/notify"), &message).await;
    let visitor = key("subscribe_only").await;
    let (client, browser) = (owner.bearer(&visitor), subscription());
    let registered = client.post(SUBSCRIPTIONS, &browser).await;
    assert_eq!(registered.expect("an answer").status, 201);
    let spare = json!({"name": "spare", "scope": "notify"});
    let spare = owner.post(&path("/keys"), &spare).await;
    let vapid_key = owner.post(&path("/vapid-keys"), &json!({})).await;
    vec![
        ("SUBSCRIBE_KEY", visitor),
        ("NOTIFY_KEY", key("notify").await),
        ("FULL_KEY", key("full").await),
        ("SEND", text(&sent.expect("an answer").json(), "send_id")),
        ("KEY", text(&spare.expect("an answer").json(), "id")),
        (
            "VAPID_KEY",
            text(&vapid_key.expect("an answer").json(), "id"),
        ),
        ("SESSION", session.to_owned()),
        ("APP", app),
    ]
}

pub const SUBSCRIPTIONS: &str = "/api/v1/subscriptions";

/// The browser of the page's examples.
pub fn subscription() -> Value {
    json!({
        "endpoint": "https://push.example.com/abc",
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"
    })
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().expect("a text").to_owned()
}
