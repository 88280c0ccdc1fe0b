//! docs/API.md.

use hato_testkit::github::Github;
use hato_testkit::owner::PASSWORD;
use serde_json::{Value, json};

use super::{blocks, document, shell};
use crate::stage::{EMAIL, Stage, launch};

/// A refusal fails the script; what is for people, `-i` aside, is left out.
const CURL: &str = "curl() { command curl --silent --show-error --fail-with-body \"$@\"; }\n";

/// Each block has an app of its own, because blocks delete what they name.
#[tokio::test]
async fn every_command_of_the_reference() {
    let github = Github::start().await;
    let launch = launch().logging_in_at(&github);
    let stage = Stage::of(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let session = log_in(&stage).await;
    let commands = blocks(&document("API.md"), "sh");
    assert!(commands.len() > 30, "{}", commands.len());
    for block in commands {
        let script = CURL.to_owned() + &block.replace(EMAIL, "somebody@example.com");
        let mut command = shell(stage.home.path(), &stage.server, &script);
        command.env("HATO", stage.server.url());
        if block.contains("/auth/logout") {
            command.envs(variables(&stage, &log_in(&stage).await).await);
        } else {
            command.envs(variables(&stage, &session).await);
        }
        let output = command.output().await.expect("it runs");
        let told = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        // The only one that says of itself that it is refused.
        let is_refused = block.contains("INVALID_STATE");
        assert_eq!(
            output.status.success(),
            !is_refused,
            "{block}{told}{errors}"
        );
        assert!(!is_refused || told.contains("INVALID_STATE"), "{told}");
    }
}

async fn log_in(stage: &Stage) -> String {
    let session = stage.server.client().log_in(EMAIL, PASSWORD).await;
    session.expect("a session")
}

/// The variables of the page's beginning.
async fn variables(stage: &Stage, session: &str) -> Vec<(&'static str, String)> {
    let owner = &stage.app.owner;
    let app = owner.create_app("Another").await.expect("an app");
    let app = text(&app, "appId");
    let path = |rest: &str| format!("/api/v1/apps/{app}{rest}");
    let key = async |scope: &str| owner.create_key(&app, "a", scope).await.expect("a key");
    let hook = json!({"webhook_url": "https://hooks.example.com/"});
    let hooked = owner.patch(&path(""), &hook).await.expect("an answer");
    assert_eq!(hooked.status, 200, "{hooked}");
    let message = json!({"title": "a", "body": "b"});
    let sent = owner.post(&path("/notify"), &message).await;
    let spare = json!({"name": "spare", "scope": "notify"});
    let spare = owner.post(&path("/keys"), &spare).await;
    vec![
        ("SUBSCRIBE_KEY", key("subscribe_only").await),
        ("NOTIFY_KEY", key("notify").await),
        ("FULL_KEY", key("full").await),
        ("SEND", text(&sent.expect("an answer").json(), "send_id")),
        ("KEY", text(&spare.expect("an answer").json(), "id")),
        ("SESSION", session.to_owned()),
        ("APP", app),
    ]
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().expect("a text").to_owned()
}
