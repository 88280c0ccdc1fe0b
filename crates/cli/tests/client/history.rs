//! What was sent and what failed.

use hato_testkit::push_service::{ReceivedMessage, ScriptedResponse};
use serde_json::{Value, json};

use crate::setup::{CliSetup, subscribe, with_push_service};

#[tokio::test]
async fn the_history_is_read_page_after_page() {
    let setup = CliSetup::new().await;
    for number in 0..103 {
        let body = serde_json::json!({"title": format!("No. {number}"), "body": "b"});
        let sent = setup.app.backend.post("/api/v1/notify", &body).await;
        assert_eq!(sent.expect("an answer").status, 202);
    }
    let list = setup.with_key("full", &["history", "--limit", "102"]).await;
    let page = list.json().await;
    let sends = page["items"].as_array().expect("a list");
    assert_eq!((sends.len(), &sends[0]["title"]), (102, &"No. 102".into()));
    assert_eq!(sends[101]["title"], "No. 1");
    let table = setup.with_key("full", &["history"]).await.success().await;
    assert_eq!(table.lines().count(), 51, "{table}");

    let (before, id) = (page["next_before"].to_string(), &page["next_before_id"]);
    let id = id.as_str().expect("an id");
    let rest = ["history", "--before", &before, "--before-id", id];
    let rest = setup.with_key("full", &rest).await.json().await;
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(1), "{rest}");
    assert_eq!(rest["items"][0]["title"], "No. 0");
    assert!(rest["next_before"].is_null() && rest["next_before_id"].is_null());
    let alone = ["history", "--before-id", id];
    let alone = setup.with_key("full", &alone).await.output().await;
    assert_eq!(alone.code, 2, "{alone:?}");

    let id = sends[0]["send_id"].as_str().expect("an id");
    let show = setup.with_key("full", &["history", "show", id]).await;
    assert_eq!(show.json().await, sends[0]);
    let cancel = setup.with_key("full", &["history", "cancel", id]).await;
    assert_eq!(cancel.success().await, "Spared 0 recipients.\n");
}

#[tokio::test]
async fn dead_letters_say_why() {
    let (setup, service) = with_push_service().await;
    let browsers = subscribe(&setup, &service, 1).await;
    service.respond_by_default(ScriptedResponse::Status(400));
    let line = ["notify", "Hello", "b", "--wait"];
    let output = setup.with_key("full", &line).await.output().await;
    assert_eq!(output.error_code(), (1, "not-delivered"));
    let letters = setup.with_key("full", &["dead-letters"]).await.json().await;
    assert_eq!(letters["items"][0]["reason"], "refused");
    assert_eq!(letters["items"][0]["endpoint"], *browsers[0].endpoint);
    let table = setup
        .with_key("full", &["dead-letters"])
        .await
        .success()
        .await;
    assert!(table.contains("refused  400"), "{table}");
}

#[tokio::test]
async fn subscriptions_that_are_gone_leave_no_dead_letters() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    service.respond_by_default(ScriptedResponse::Status(410));
    let line = ["notify", "Hello", "b", "--wait"];
    let output = setup.with_key("full", &line).await.output().await;
    assert_eq!(output.error_code(), (1, "not-delivered"));
    assert!(output.stderr.contains("deactivated"), "{output:?}");
    assert!(!output.stderr.contains("dead-letters"), "{output:?}");
}

#[tokio::test]
async fn what_recipients_did_is_shown_by_button_and_in_all() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 3).await;
    let app = format!("/api/v1/apps/{}", setup.app.id);
    let counts = json!({"tracking": "counts"});
    let set = setup.app.owner.patch(&app, &counts).await;
    assert_eq!(set.expect("an answer").status, 200);
    let line = ["notify", "Hello", "b", "--action", "read|Read", "--wait"];
    setup.with_key("full", &line).await.success().await;
    let messages = service.seen(|seen| seen.messages.clone());
    let tokens: Vec<_> = messages.iter().map(ReceivedMessage::json).collect();
    for (event, recipients) in [("displayed", 3), ("dismissed", 1), ("clicked", 2)] {
        for message in &tokens[..recipients] {
            let report = json!({"token": message["t"], "event": event, "action": "read"});
            let reported = setup.server.client().post("/api/v1/events", &report).await;
            assert_eq!(reported.expect("an answer").status, 204);
        }
    }
    // Reports count in the order of their arrival.
    let mut send = Value::Null;
    while send["clicked_count"] != 2 {
        let list = setup.with_key("full", &["history"]).await.json().await;
        send = list["items"][0].clone();
    }
    assert_eq!(send["clicks_by_action"], json!({"read": 2}));
    let id = send["send_id"].as_str().expect("an id");
    let show = ["history", "show", id];
    let shown = setup.with_key("full", &show).await.success().await;
    let expected = "displayed       3\nclicked         2\ndismissed       1\n  read          2\n";
    assert!(shown.ends_with(expected), "{shown}");
    let stats = setup.with_key("full", &["stats"]).await.success().await;
    let expected = "displayed        3\nclicked          2\ndismissed        1\n";
    assert!(stats.contains(expected), "{stats}");
    let today = stats.lines().last().expect("a day");
    assert!(today.ends_with("3          2"), "{stats}");
}
