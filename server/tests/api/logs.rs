//! What the log says, and how (CONTRACT 1, 2).

use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::database::execute;
use crate::fixtures::{BINARY, get, post, send, setup, start, wait_until_logged};

#[tokio::test]
async fn the_address_is_logged_whatever_the_filter() {
    for format in ["text", "json"] {
        for filter in ["error", "off", "hato_server=off,warn"] {
            let launch = ServerLaunch::new(BINARY)
                .env("HATO_LOG", filter)
                .env("HATO_LOG_FORMAT", format);
            // The testkit waits for the line.
            let server = start(launch).await;
            let log = server.log();
            let listening = format!("listening on {}", server.url());
            assert!(log.contains(&listening), "{log}");
            assert!(filter != "off" || log.lines().count() == 1, "{log}");
        }
    }
}

#[tokio::test]
async fn the_first_start_on_postgres_tells_nothing_of_the_migrators_own_table() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::empty_postgres());
    let log = start(launch).await.log();
    assert!(log.contains("listening on "), "{log}");
    assert!(!log.contains("_sqlx_migrations"), "{log}");
}

#[tokio::test]
async fn as_json_every_line_is_an_object() {
    let launch = ServerLaunch::new(BINARY)
        .env("HATO_LOG", "debug")
        .env("HATO_LOG_FORMAT", "json");
    let mut server = start(launch).await;
    let reply = get(&server.client(), "/api/v1/apps").await;
    let id = reply.header("x-request-id").expect("an id").to_owned();
    wait_until_logged(&server, &id).await;
    server.terminate().await.expect("it stops");
    let log = server.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    for line in &lines {
        for member in ["timestamp", "level", "target"] {
            assert!(line[member].is_string(), "{line}");
        }
        assert!(line["fields"].is_object(), "{line}");
    }
    let refused = lines
        .iter()
        .find(|line| line["span"]["id"] == *id && line["level"] == "INFO");
    let refused = refused.unwrap_or_else(|| panic!("no line of {id} in {log}"));
    assert_eq!(
        (&refused["fields"]["status"], &refused["fields"]["code"]),
        (&json!(401), &json!("UNAUTHORIZED"))
    );
}

#[on_each_database]
async fn each_refused_request_has_a_line_with_its_id_and_what_was_answered(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let done = post(
        &app.backend,
        "/api/v1/notify",
        &json!({"title": "t", "body": "b"}),
    )
    .await;
    let mut refused = Vec::new();
    for (method, path, said) in [
        (Method::GET, "/api/v1/nothing", "404 code=\"NOT_FOUND\""),
        (
            Method::PUT,
            "/auth/login",
            "405 code=\"METHOD_NOT_ALLOWED\"",
        ),
        (
            Method::POST,
            "/api/v1/notify",
            "400 code=\"MISSING_FIELDS\"",
        ),
        (Method::GET, "/nothing", "404 code=\"NOT_FOUND\""),
    ] {
        let reply = send(&app.admin, method, path, &[], "").await;
        refused.push((reply, "INFO", path, said));
    }
    execute(&server, "ALTER TABLE subscriptions RENAME TO misplaced").await;
    let path = format!("/api/v1/apps/{}/subscriptions", app.id);
    let endpoint = json!({"endpoint": "https://push.example.com/1"});
    let failed = app.frontend.delete_with(&path, &endpoint).await;
    let failed = failed.expect("an answer");
    refused.push((failed, "WARN", &path, "500 code=\"INTERNAL_ERROR\""));
    for (reply, level, path, said) in refused {
        let id = reply.header("x-request-id").expect("an id");
        wait_until_logged(&server, id).await;
        let log = server.log();
        let lines: Vec<_> = log
            .lines()
            .filter(|line| line.contains(id) && line.contains("status="))
            .collect();
        assert_eq!(lines.len(), 1, "{path}: {log}");
        let status = format!("status={said}");
        for part in [level, path, &status] {
            assert!(lines[0].contains(part), "no {part} in {}", lines[0]);
        }
    }
    let id = done.header("x-request-id").expect("an id");
    assert!(
        !server.log().contains(id),
        "what was done is not in the log"
    );
}
