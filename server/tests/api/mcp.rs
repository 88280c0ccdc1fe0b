//! The MCP endpoint (CONTRACT 9), with messages made by hand and with the official clients.

mod official_clients;
mod part_of_audience;

use hato_testkit::client::{Client, Reply};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, get, send, server, setup, start, status_and_code, subscribe};

/// The answer to one JSON-RPC request.
async fn ask(client: &Client, method: &str, params: Value) -> Reply {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    send(client, Method::POST, "/mcp", &[], message.to_string()).await
}

/// What a tool answers.
pub async fn call(client: &Client, tool: &str, arguments: Value) -> Value {
    let reply = ask(
        client,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
    .await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()["result"].clone()
}

/// The JSON in the text of a tool's answer.
fn text_content(result: &Value) -> Value {
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{result}"))
}

/// The code of a tool's refusal.
fn code(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    assert!(text_content(result)["error"].is_string(), "{result}");
    text_content(result)["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[on_each_database]
async fn tools_answer_as_the_endpoints_do(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let path = |rest: &str| format!("/api/v1/apps/{}{rest}", app.id);
    call(
        &app.admin,
        "send_notification",
        json!({"title": "t", "body": "b"}),
    )
    .await;
    for (tool, endpoint) in [
        ("get_stats", path("/stats")),
        ("list_notifications", path("/notifications")),
    ] {
        let result = call(&app.admin, tool, json!({})).await;
        let answer = get(&app.admin, &endpoint).await.json();
        assert_eq!(text_content(&result), answer, "{tool}");
        assert_eq!(result["structuredContent"], answer, "{tool}");
    }
    let keys = call(&app.admin, "list_api_keys", json!({})).await;
    assert_eq!(text_content(&keys), keys["structuredContent"]["items"]);
    assert_eq!(text_content(&keys).as_array().map(Vec::len), Some(3));
}

#[on_each_database]
async fn every_refusal_is_a_tool_error_with_the_code_of_rest(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for (tool, arguments, expected) in [
        ("create_api_key", json!({"scope": "full"}), "MISSING_FIELDS"),
        (
            "create_api_key",
            json!({"name": "x", "scope": "root"}),
            "INVALID_SCOPE",
        ),
        (
            "create_api_key",
            json!({"name": 1, "scope": "full"}),
            "INVALID_INPUT",
        ),
        ("delete_api_key", json!({}), "MISSING_FIELDS"),
        (
            "delete_api_key",
            json!({"key_id": "key_unknown"}),
            "NOT_FOUND",
        ),
        ("send_notification", json!({"title": "t"}), "MISSING_FIELDS"),
        (
            "send_notification",
            json!({"title": "t", "body": "b", "url": "http://x/"}),
            "INVALID_URL",
        ),
        (
            "send_notification",
            json!({"title": "t", "body": "b", "endpoint": ""}),
            "INVALID_URL",
        ),
        (
            "send_notification",
            json!({"title": "t", "body": "b", "endpoint": null}),
            "INVALID_INPUT",
        ),
        (
            "send_notification",
            json!({"title": "t", "body": "b", "endpoint": "https://x/"}),
            "NOT_FOUND",
        ),
        (
            "send_notification",
            json!({"title": "t", "body": "b".repeat(3_072)}),
            "PAYLOAD_TOO_LARGE",
        ),
        ("list_notifications", json!({"limit": 0}), "INVALID_INPUT"),
        ("list_notifications", json!({"limit": "1"}), "INVALID_INPUT"),
        ("list_notifications", json!({"limit": ""}), "INVALID_INPUT"),
        ("list_notifications", json!({"before": ""}), "INVALID_INPUT"),
        (
            "list_notifications",
            json!({"before": 1, "before_id": ""}),
            "INVALID_INPUT",
        ),
        (
            "list_notifications",
            json!({"before_id": ""}),
            "INVALID_INPUT",
        ),
        (
            "list_notifications",
            json!({"before_id": "snd_1"}),
            "INVALID_INPUT",
        ),
    ] {
        let result = call(&app.admin, tool, arguments.clone()).await;
        assert_eq!(code(&result), expected, "{tool} {arguments}");
        assert!(result["structuredContent"].is_null(), "{result}");
    }
    for arguments in [json!([]), json!("{}"), json!(1), json!(true)] {
        for tool in ["get_stats", "send_notification"] {
            let result = call(&app.admin, tool, arguments.clone()).await;
            assert_eq!(code(&result), "INVALID_INPUT", "{tool} {arguments}");
        }
    }
    let absent = call(&app.admin, "get_stats", Value::Null).await;
    assert_eq!(absent["isError"], false, "{absent}");
    let sends = call(&app.admin, "list_notifications", json!({})).await;
    assert_eq!(text_content(&sends)["items"], json!([]), "nothing was sent");
}

#[on_each_database]
async fn a_limit_comes_with_the_way_to_the_prices(database: TestDatabase) {
    let (server, app) = setup(database).await;
    subscribe(&app, 1).await;
    let usage = "UPDATE monthly_usage SET recipients = 30000";
    call(
        &app.admin,
        "send_notification",
        json!({"title": "t", "body": "b"}),
    )
    .await;
    crate::database::execute(&server, usage).await;
    let result = call(
        &app.admin,
        "send_notification",
        json!({"title": "t", "body": "b"}),
    )
    .await;
    assert_eq!(code(&result), "MONTHLY_LIMIT_EXCEEDED");
    assert!(
        text_content(&result)["upgrade_url"]
            .as_str()
            .is_some_and(|url| url.ends_with("/pricing"))
    );
}

#[on_each_database]
async fn a_page_after_the_other(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    for number in 0..3 {
        let message = json!({"title": number.to_string(), "body": "b"});
        call(&app.admin, "send_notification", message).await;
    }
    let first = text_content(&call(&app.admin, "list_notifications", json!({"limit": 2})).await);
    let cursor =
        json!({"limit": 2, "before": first["next_before"], "before_id": first["next_before_id"]});
    let second = text_content(&call(&app.admin, "list_notifications", cursor).await);
    let titles = |page: &Value| {
        let items = page["items"].as_array().expect("items").clone();
        items
            .into_iter()
            .map(|item| item["title"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (titles(&first), titles(&second)),
        (vec!["2".into(), "1".into()], vec!["0".into()])
    );
}

#[tokio::test]
async fn pages_of_other_sites_are_refused_and_our_own_host_behind_a_proxy_is_not() {
    let launch = ServerLaunch::new(BINARY).env("HATO_BASE_URL", "https://push.example.com");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let asked = async |headers: &[(&'static str, &str)]| {
        send(&app.admin, Method::POST, "/mcp", headers, message.clone()).await
    };
    for fine in [
        &[][..],
        &[("host", "push.example.com")],
        &[
            ("host", "push.example.com"),
            ("origin", "https://push.example.com"),
        ],
        &[
            ("host", "hato-1.internal:3000"),
            ("origin", "https://push.example.com"),
        ],
        &[
            ("host", "push.example.com"),
            ("origin", "http://localhost:6274"),
        ],
        &[("sec-fetch-site", "same-origin")],
    ] {
        assert_eq!(asked(fine).await.status, 200, "{fine:?}");
    }
    for foreign in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("origin", "http://push.example.com")],
        &[("host", "evil.example"), ("origin", "http://evil.example")],
        &[("sec-fetch-site", "cross-site")],
    ] {
        assert_eq!(
            status_and_code(&asked(foreign).await),
            (403, "INVALID_ORIGIN".into()),
            "{foreign:?}"
        );
    }
}

#[tokio::test]
async fn only_messages_of_the_protocol_are_taken() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    for body in [
        "",
        "{}",
        "[]",
        "x",
        "{\"jsonrpc\": \"1.0\"}",
        "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]",
    ] {
        let reply = send(&app.admin, Method::POST, "/mcp", &[], body).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{body}: {reply}"
        );
    }
    let large = format!(
        "{{\"jsonrpc\": \"2.0\", \"x\": \"{}\"}}",
        "x".repeat(256 * 1024)
    );
    let reply = send(&app.admin, Method::POST, "/mcp", &[], large).await;
    assert_eq!(status_and_code(&reply), (413, "PAYLOAD_TOO_LARGE".into()));
    let of_many_values = |values: usize| {
        let values = vec!["{\"\":0}"; values].join(",");
        format!(
            "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\":
              {{\"name\": \"get_stats\", \"arguments\": {{\"a\": [{values}]}}}}}}"
        )
    };
    let reply = send(&app.admin, Method::POST, "/mcp", &[], of_many_values(1_600)).await;
    assert_eq!(reply.status, 200, "{reply}");
    let reply = send(&app.admin, Method::POST, "/mcp", &[], of_many_values(1_700)).await;
    assert_eq!(status_and_code(&reply), (413, "PAYLOAD_TOO_LARGE".into()));
    for method in [Method::GET, Method::DELETE] {
        let reply = send(&app.admin, method, "/mcp", &[], "").await;
        assert_eq!(status_and_code(&reply), (405, "METHOD_NOT_ALLOWED".into()));
        assert_eq!(reply.header("allow"), Some("POST"));
    }
    let unknown = ask(
        &app.admin,
        "tools/call",
        json!({"name": "x", "arguments": {}}),
    )
    .await;
    assert_eq!(unknown.json()["error"]["code"], -32602, "{unknown}");
    let unknown = ask(&app.admin, "no/such", json!({})).await;
    assert_eq!(unknown.json()["error"]["code"], -32601, "{unknown}");
    drop(server);
}

#[tokio::test]
async fn a_member_that_stands_twice_is_refused_wherever_it_stands() {
    let (_server, app) = setup(TestDatabase::sqlite().await).await;
    subscribe(&app, 1).await;
    for message in [
        r#"{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/list"}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "get_stats", "name": "send_notification", "arguments": {"title": "t", "body": "b"}}}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "send_notification", "arguments": {"title": "t", "body": "b", "body": "c"}}}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "send_notification", "arguments": {"title": "t", "body": "b", "x": 1, "\u0078": 2}}}"#,
    ] {
        let reply = send(&app.admin, Method::POST, "/mcp", &[], message).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{message}"
        );
    }
    let sends = call(&app.admin, "list_notifications", json!({})).await;
    assert_eq!(text_content(&sends)["items"], json!([]), "nothing was sent");
}

#[on_each_database]
async fn after_20_failures_tools_are_refused_as_endpoints_are(database: TestDatabase) {
    let server = server(database).await;
    let app = app(&server, "owner@example.com").await;
    let stranger = server.client().bearer(&format!("pk_{}", "0".repeat(64)));
    let nobody = server.client();
    for number in 0..20 {
        let client = if number % 2 == 0 { &stranger } else { &nobody };
        let reply = ask(client, "tools/list", json!({})).await;
        assert_eq!(reply.status, 401, "{reply}");
    }
    for client in [&stranger, &nobody, &app.admin] {
        let reply = ask(client, "tools/list", json!({})).await;
        assert_eq!(status_and_code(&reply), (429, "RATE_LIMITED".into()));
        assert_eq!(reply.header("retry-after"), Some("60"));
    }
    let rest = get(&app.admin, "/api/v1/stats").await;
    assert_eq!(
        status_and_code(&rest),
        (429, "RATE_LIMITED".into()),
        "they count together"
    );
}

#[on_each_database]
async fn a_deleted_key_is_refused_at_once(database: TestDatabase) {
    let server = server(database).await;
    let app = app(&server, "owner@example.com").await;
    let created = call(
        &app.admin,
        "create_api_key",
        json!({"name": "a", "scope": "full"}),
    )
    .await;
    let key = text_content(&created);
    let assistant = server
        .client()
        .bearer(key["key"].as_str().expect("the raw key"));
    let own = json!({"key_id": key["id"]});
    assert_eq!(
        text_content(&call(&assistant, "delete_api_key", own).await),
        json!({"ok": true})
    );
    let after = ask(&assistant, "tools/list", json!({})).await;
    assert_eq!(status_and_code(&after), (401, "INVALID_API_KEY".into()));
}

#[on_each_database]
async fn a_notification_may_be_scheduled(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let at = hato_service::ports::Clock::now(&hato_service::ports::SystemClock).0 + 86_400_000;
    let message = |at: Value| {
        json!({
            "title": "t", "body": "b", "send_at": at, "expires_at": at.as_i64().map(|at| at + 1),
            "max_per_minute": 600,
        })
    };
    let scheduled = call(&app.admin, "send_notification", message(json!(at))).await;
    let answer = text_content(&scheduled);
    assert_eq!(
        (&answer["queued"], &answer["send_at"]),
        (&json!(0), &json!(at))
    );
    let listed = text_content(&call(&app.admin, "list_notifications", json!({})).await);
    let item = &listed["items"][0];
    assert_eq!(item["status"], "scheduled");
    assert_eq!(
        (
            &item["send_at"],
            &item["expires_at"],
            &item["max_per_minute"]
        ),
        (&json!(at), &json!(at + 1), &json!(600))
    );
    for (member, bad) in [
        ("send_at", Value::Null),
        ("send_at", json!(1)),
        ("send_at", json!(at + 366 * 86_400_000)),
        ("expires_at", Value::Null),
        ("expires_at", json!(at)),
        ("max_per_minute", Value::Null),
        ("max_per_minute", json!(0)),
    ] {
        let mut message = message(json!(at));
        message[member] = bad;
        let refused = call(&app.admin, "send_notification", message.clone()).await;
        assert_eq!(code(&refused), "INVALID_INPUT", "{message}");
    }
}
