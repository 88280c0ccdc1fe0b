//! The description of the API says what the server does.

use std::collections::{BTreeMap, BTreeSet};

use hato_domain::ErrorCode;
use hato_testkit::client::Reply;
use hato_testkit::github::Github;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::Value;
use tokio::process::Command;

use crate::fixtures::{BINARY, get, send, server, start};

const EMAIL: &str = "owner@example.com";

/// The document of a server with the default settings.
pub async fn document() -> Value {
    get(
        &server(TestDatabase::sqlite().await).await.client(),
        "/api/v1/openapi.json",
    )
    .await
    .json()
}

/// The codes of an operation, by status.
fn codes(operation: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let responses = operation["responses"].as_object().expect("responses");
    let refusals = responses
        .iter()
        .filter(|(status, _)| status.starts_with(['4', '5']));
    let named = refusals.map(|(status, response)| {
        let schema = &response["content"]["application/json"]["schema"];
        let codes = schema["properties"]["code"]["enum"]
            .as_array()
            .expect("codes");
        let codes = codes.iter().filter_map(Value::as_str).map(str::to_owned);
        (status.clone(), codes.collect())
    });
    named.collect()
}

/// Whether the document says that the endpoint may answer so.
pub fn foresees(document: &Value, method: &Method, path: &str, answer: &Reply) -> bool {
    let operation = &document["paths"][path][method.as_str().to_lowercase()];
    let status = answer.status.as_u16().to_string();
    if answer.status.is_client_error() || answer.status.is_server_error() {
        let codes = codes(operation);
        return codes
            .get(&status)
            .is_some_and(|codes| codes.contains(&answer.code()));
    }
    operation["responses"][status].is_object()
}

#[tokio::test]
async fn every_endpoint_is_described_with_its_codes_and_examples() {
    let document = document().await;
    assert_eq!(document["openapi"], "3.1.0");
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let name = format!("{} {path}", method.to_uppercase());
            for (status, codes) in codes(operation) {
                for code in codes {
                    let known = ErrorCode::parse(&code).expect("a code of the table");
                    assert_eq!(known.status().to_string(), status, "{name}: {code}");
                }
            }
            for (status, response) in operation["responses"].as_object().expect("responses") {
                let content = response["content"].as_object();
                let content = content.and_then(|it| it.values().next());
                let content = content.unwrap_or(&Value::Null);
                let has_example = content["example"].is_object()
                    || content["example"].is_array()
                    || content["examples"].is_object();
                assert!(
                    has_example || status == "302" || status == "204",
                    "{name}: {status}"
                );
            }
            for text in ["summary", "x-summary-ja", "description", "operationId"] {
                assert!(operation[text].is_string(), "{name} has no {text}");
            }
            described.insert(name);
        }
    }
    // The tools describe themselves.
    let endpoints = hato_server::endpoints()
        .into_iter()
        .filter(|it| it.path != "/mcp");
    let endpoints: BTreeSet<_> = endpoints
        .map(|it| format!("{} {}", it.method, it.path))
        .collect();
    assert_eq!(described, endpoints);
}

#[tokio::test]
async fn headers_of_answers_are_described() {
    let document = document().await;
    let mut replayed = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            for (status, answer) in operation["responses"].as_object().expect("responses") {
                let headers = &answer["headers"];
                assert!(
                    headers["x-request-id"].is_object(),
                    "{method} {path} {status}"
                );
                if headers["Idempotency-Replayed"].is_object() {
                    replayed.push(format!("{method} {path} {status}"));
                }
            }
        }
    }
    let sends = [
        "post /api/v1/apps/{appId}/notify 202",
        "post /api/v1/notify 202",
        "post /api/v1/notify/batch 202",
    ];
    replayed.sort();
    assert_eq!(replayed, sends);
    let entrance = &document["paths"]["/auth/github"]["get"]["parameters"];
    assert_eq!(entrance[0]["name"], "next");
}

#[tokio::test]
async fn refusals_of_a_plan_and_of_an_unknown_subscriber_are_foreseen() {
    let server = server(TestDatabase::sqlite().await).await;
    let app = OwnedApp::set_up(&server.client(), EMAIL)
        .await
        .expect("an app");
    let document = get(&server.client(), "/api/v1/openapi.json").await.json();
    let path = format!("/api/v1/apps/{}", app.id);
    let hook = serde_json::json!({"webhook_url": "https://hooks.example.com/"});
    let unpaid = app.owner.patch(&path, &hook).await.expect("an answer");
    assert_eq!(unpaid.code(), "PLAN_REQUIRED", "{unpaid}");
    let update = "/api/v1/apps/{appId}";
    assert!(foresees(&document, &Method::PATCH, update, &unpaid));

    let endpoint = "https://push.example.com/unknown";
    let message = serde_json::json!({"title": "a", "body": "b", "endpoint": endpoint});
    let unknown = app.backend.post("/api/v1/notify", &message).await;
    let unknown = unknown.expect("an answer");
    assert_eq!(unknown.code(), "NOT_FOUND", "{unknown}");
    assert!(foresees(
        &document,
        &Method::POST,
        "/api/v1/notify",
        &unknown
    ));
}

/// `RATE_LIMITED` stands exactly where it can come.
#[tokio::test]
async fn rate_limits_are_described_where_they_are() {
    let server = server(TestDatabase::sqlite().await).await;
    let document = get(&server.client(), "/api/v1/openapi.json").await.json();
    let is_described = |method: &str, path: &str| {
        let operation = &document["paths"][path][method];
        assert!(operation.is_object(), "{method} {path}");
        codes(operation).contains_key("429")
    };
    for path in document["paths"].as_object().expect("paths").keys() {
        for method in document["paths"][path]
            .as_object()
            .expect("operations")
            .keys()
        {
            let is_entrance = ["/auth/register", "/auth/login", "/auth/github"];
            let is_limited = path.starts_with("/api/v1/") && path != "/api/v1/events";
            let expected = is_limited || is_entrance.contains(&path.as_str());
            assert_eq!(is_described(method, path), expected, "{method} {path}");
        }
    }
    let stranger = server.client().bearer(&format!("pk_{}", "0".repeat(64)));
    for _ in 0..25 {
        let session = get(&stranger, "/auth/session").await;
        assert_eq!(session.status, 401, "{session}");
        let logout = send(&stranger, Method::POST, "/auth/logout", &[], "").await;
        assert_eq!(logout.status, 401, "{logout}");
    }
    for _ in 0..20 {
        get(&stranger, "/api/v1/stats").await;
    }
    let limited = get(&server.client(), "/api/v1/openapi.json").await;
    assert_eq!(limited.status, 429, "{limited}");
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    let document = document().await;
    let text = document.to_string();
    let targets = text.split("\"$ref\":\"#").skip(1);
    let targets: BTreeSet<_> = targets.filter_map(|rest| rest.split('"').next()).collect();
    assert!(targets.len() > 10, "{targets:?}");
    for target in targets {
        assert!(document.pointer(target).is_some(), "{target}");
    }
}

#[tokio::test]
async fn operations_have_names_of_their_own() {
    let document = document().await;
    let items = document["paths"].as_object().expect("paths").values();
    let operations = items.flat_map(|item| item.as_object().expect("operations").values());
    let names: Vec<_> = operations.map(|it| it["operationId"].to_string()).collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(names.len(), distinct.len(), "{names:?}");
}

#[tokio::test]
async fn the_document_names_the_address_that_browsers_use() {
    let launch = ServerLaunch::new(BINARY).env("HATO_BASE_URL", "https://push.example.com");
    let server = start(launch).await;
    let document = get(&server.client(), "/api/v1/openapi.json").await.json();
    assert_eq!(document["servers"][0]["url"], "https://push.example.com");
    let llms = get(&server.client(), "/llms.txt").await;
    assert_eq!(
        llms.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert!(llms.text().starts_with("# Hato\n\n> "), "{llms}");
    assert!(
        llms.text()
            .contains("https://push.example.com/api/v1/openapi.json")
    );
    assert!(!llms.text().contains("{base_url}"), "{llms}");
}

#[tokio::test]
async fn the_reference_page_shows_every_endpoint_under_the_same_policy() {
    let server = server(TestDatabase::sqlite().await).await;
    let page = get(&server.client(), "/docs/api").await;
    assert_eq!(page.status, 200, "{page}");
    let landing = get(&server.client(), "/").await;
    let without_nonce = |reply: &Reply| {
        let policy = reply.header("content-security-policy").expect("a policy");
        let parts = policy
            .split_whitespace()
            .filter(|part| !part.contains("nonce-"));
        parts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(without_nonce(&page), without_nonce(&landing));
    let text = page.text();
    for endpoint in hato_server::endpoints()
        .into_iter()
        .filter(|it| it.path != "/mcp")
    {
        assert!(text.contains(&endpoint.path), "{}", endpoint.path);
    }
    for code in ErrorCode::ALL
        .into_iter()
        .filter(|it| *it != ErrorCode::MethodNotAllowed)
    {
        assert!(text.contains(code.as_str()), "{code}");
    }
}

/// Generated requests of somebody else's making: every check of schemathesis but the one that takes whatever fits the schema
/// for acceptable, which no rule about more than one member survives.
#[on_each_database]
async fn schemathesis_finds_nothing(database: TestDatabase) {
    let github = Github::start().await;
    let launch = ServerLaunch::on(BINARY, database)
        .with_github(&github)
        .env("HATO_DEFAULT_PLAN", "pro")
        .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = start(launch).await;
    let app = OwnedApp::set_up(&server.client(), EMAIL)
        .await
        .expect("an app");
    let session = app.owner.log_in(EMAIL, PASSWORD).await;
    let key = app.owner.create_key(&app.id, "schemathesis", "full").await;
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/peers/python/schemathesis"
    );
    let output = Command::new(script)
        .env("HATO_URL", server.url())
        .env("HATO_APP", &app.id)
        .env("HATO_SESSION", session.expect("a session"))
        .env("HATO_KEY", key.expect("a key"))
        .env("HATO_EMAIL", EMAIL)
        .env("HATO_PASSWORD", PASSWORD)
        .output()
        .await
        .expect("the script runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{errors}");
    // It was let in, and what it sent and made is there.
    for list in ["notifications", "key-events"] {
        let path = format!("/api/v1/apps/{}/{list}?limit=10", app.id);
        let made = get(&app.owner, &path).await.json();
        assert_eq!(
            made["items"].as_array().map(Vec::len),
            Some(10),
            "{list}: {made}"
        );
    }
}
