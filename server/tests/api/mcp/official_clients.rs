//! The MCP endpoint with the official clients, each a script that uses every tool and says what it was told.

use hato_testkit::TestDatabase;
use hato_testkit::owner::OwnedApp;
use hato_testkit::server::HatoServer;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::fixtures::{get, setup, subscribe};

const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");

async fn with_client(program: &str, script: &str) -> (Value, HatoServer, OwnedApp) {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    subscribe(&app, 2).await;
    let key = app
        .owner
        .create_key(&app.id, "assistant", "full")
        .await
        .expect("a key");
    let output = Command::new(program)
        .arg(format!("{PEERS}/{script}"))
        .env("HATO_URL", server.url())
        .env("HATO_KEY", key)
        .output();
    let output = output.await.expect("scripts/setup test has installed it");
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = serde_json::from_slice(&output.stdout);
    (said.unwrap_or_else(|_| panic!("{errors}")), server, app)
}

async fn assert_session((said, _server, app): (Value, HatoServer, OwnedApp)) {
    let tools = said["tools"].as_array().expect("tools");
    let named = |name: &str| {
        tools
            .iter()
            .find(|tool| tool["name"] == name)
            .expect("offered")
    };
    assert_eq!(tools.len(), 6, "{tools:#?}");
    for (name, read_only, destructive) in [
        ("list_api_keys", true, false),
        ("create_api_key", false, false),
        ("delete_api_key", false, true),
        ("send_notification", false, true),
        ("get_stats", true, false),
        ("list_notifications", true, false),
    ] {
        let tool = named(name);
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], read_only, "{name}");
        assert_eq!(hints["destructiveHint"], destructive, "{name}");
        assert!(
            tool["title"].is_string() && tool["description"].is_string(),
            "{name}"
        );
        for schema in ["inputSchema", "outputSchema"] {
            let kind = &tool[schema];
            assert_eq!(kind["type"], "object", "{name}: {kind}");
        }
    }

    let created = &said["created"]["structured"];
    assert!(
        created["key"]
            .as_str()
            .is_some_and(|key| key.starts_with("pk_")),
        "{created}"
    );
    let keys = said["keys"]["structured"]["items"]
        .as_array()
        .expect("keys");
    assert!(
        keys.iter()
            .any(|key| key["id"] == created["id"] && key["key"].is_null())
    );
    let text: Value =
        serde_json::from_str(said["keys"]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(text, Value::from(keys.clone()), "the text stays the array");
    assert_eq!(said["deleted"]["structured"], json!({"ok": true}));
    let events = get(
        &app.owner,
        &format!("/api/v1/apps/{}/key-events?limit=2", app.id),
    )
    .await;
    let events = events.json();
    assert_eq!(events["items"][0]["event"], "deleted");
    assert_eq!(events["items"][0]["actor"]["name"], "assistant");

    assert_eq!(said["sent"]["structured"]["queued"], 2);
    let sends = &said["sends"]["structured"];
    assert_eq!(
        sends["items"][0]["send_id"],
        said["sent"]["structured"]["send_id"]
    );
    assert_eq!(said["stats"]["structured"]["activeSubscribers"], 2);
    assert_eq!(said["refused"]["isError"], true);
    assert!(
        said["refused"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("INVALID_SCOPE"))
    );
}

#[tokio::test]
async fn the_official_typescript_client_uses_every_tool() {
    assert_session(with_client("node", "node/mcp.mjs").await).await;
}

#[tokio::test]
async fn the_official_python_client_uses_every_tool() {
    let python = format!("{PEERS}/python/.venv/bin/python");
    assert_session(with_client(&python, "python/mcp_client.py").await).await;
}
