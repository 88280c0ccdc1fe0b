//! What watches Hato: Prometheus has nothing against the metrics, and the alerts and the dashboard in deploy/ ask for none that is not
//! there.

mod dashboard;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};
use std::{fs, path::Path};

use hato_testkit::owner::PASSWORD;
use hato_testkit::push_service::PushService;
use hato_testkit::server::{ServerLaunch, series_value};
use hato_testkit::webhook_receiver::WebhookReceiver;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, post, send, start};
use crate::metrics::{scrape, wait_until};

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy");
/// Where `scripts/setup test` puts what is not installed.
const VERIFIERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verifiers/bin");
const GUIDE: &str = include_str!("../../../docs/METRICS.md");

/// The metrics of a server that has done what is counted.
async fn metrics_text(database: TestDatabase) -> String {
    let push = PushService::start().await;
    let receiver = WebhookReceiver::start(push.ca()).await;
    let launch = ServerLaunch::on(BINARY, database).with_push_service(&push);
    let backups = tempfile::tempdir().expect("a folder");
    let launch = launch
        .env("HATO_METRICS_LISTEN", "127.0.0.1:0")
        .env("HATO_BACKUP_DIR", backups.path().display().to_string());
    let server = start(launch.env("HATO_DEFAULT_PLAN", "pro")).await;
    let app = app(&server, "owner@example.com").await;
    let webhook = json!({"webhook_url": receiver.url()}).to_string();
    let path = format!("/api/v1/apps/{}", app.id);
    let set = send(&app.owner, Method::PATCH, &path, &[], webhook).await;
    assert_eq!(set.status, 200, "{set}");
    let browser = push.subscribe(Some(&app.vapid_public_key));
    let registration = browser.registration();
    post(&app.frontend, "/api/v1/subscriptions", &registration).await;
    let login = json!({"email": "owner@example.com", "password": PASSWORD});
    post(&server.client(), "/auth/login", &login).await;
    let message = json!({"title": "t", "body": "b"});
    post(&app.backend, "/api/v1/notify", &message).await;
    let metrics = server.metrics_client();
    let arrived = r#"hato_webhook_attempts_total{outcome="arrived"}"#;
    let made = r#"hato_backups_total{outcome="made"}"#;
    wait_until(&metrics, |text| {
        series_value(text, arrived) >= Some(2.0) && series_value(text, made) >= Some(1.0)
    })
    .await;
    scrape(&metrics).await
}

/// Whether Prometheus' tool has nothing against its input, and what it says.
fn promtool(folder: &Path, arguments: &[&str], input: &str) -> (bool, String) {
    let installed = Path::new(VERIFIERS).join("promtool");
    let is_there = installed.exists();
    let program = if is_there {
        installed
    } else {
        "promtool".into()
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut tool = match command.stderr(Stdio::piped()).spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            panic!("promtool is missing; `scripts/setup test` fetches it")
        }
        started => started.expect("it starts"),
    };
    let mut stdin = tool.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = tool.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("text");
    (output.status.success(), said)
}

/// The families of a text in Prometheus' format, and which of them are histograms.
fn families(text: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let types = text.lines().filter_map(|line| {
        let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        Some((name, kind))
    });
    let all: BTreeSet<_> = types.clone().map(|(name, _)| name).collect();
    let histograms = types.filter(|(_, kind)| *kind == "histogram");
    (all, histograms.map(|(name, _)| name).collect())
}

/// The names of metrics that stand in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with("hato_") || word.starts_with("process_"))
        .collect()
}

/// The dashboard for Grafana that operators import.
fn dashboard() -> Value {
    let text = fs::read_to_string(format!("{DEPLOY}/grafana/hato.json")).expect("a dashboard");
    serde_json::from_str(&text).expect("JSON")
}

/// The expressions of the dashboard, with the selection that a browser would make.
fn dashboard_expressions() -> Vec<String> {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array());
    let expressions = targets.flatten().map(|target| {
        let expression = target["expr"].as_str().expect("an expression");
        let expression = expression.replace("$job", "hato");
        expression.replace("$__rate_interval", "5m")
    });
    expressions.collect()
}

#[on_each_database]
async fn prometheus_has_nothing_against_the_metrics(database: TestDatabase) {
    let text = metrics_text(database).await;
    let checked = promtool(Path::new("."), &["check", "metrics"], &text);
    assert_eq!(checked, (true, String::new()), "{text}");
}

#[tokio::test]
async fn alerts_dashboard_and_guide_name_metrics_that_are_there() {
    let text = metrics_text(TestDatabase::sqlite().await).await;
    let (all, histograms) = families(&text);
    let series = histograms.iter().flat_map(|name| {
        let parts = ["bucket", "sum", "count"];
        parts.map(|part| format!("{name}_{part}"))
    });
    let known: BTreeSet<String> = all.iter().map(ToString::to_string).chain(series).collect();
    let read = |name: &str| fs::read_to_string(format!("{DEPLOY}/{name}")).expect("a file");
    let (rules, tests) = (
        read("prometheus/hato.rules.yml"),
        read("prometheus/hato.rules.test.yml"),
    );
    let dashboard = dashboard_expressions().join("\n");
    for text in [&rules, &tests, &dashboard] {
        let named = names(text);
        assert!(named.len() > 10, "{named:?}");
        let unknown: Vec<_> = named
            .into_iter()
            .filter(|it| !known.contains(*it))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?} of\n{text}");
    }
    let described = names(GUIDE);
    let missing: Vec<_> = all.iter().filter(|it| !described.contains(**it)).collect();
    assert!(missing.is_empty(), "docs/METRICS.md lacks {missing:?}");
}

#[test]
fn the_alerts_are_valid_and_each_fires_when_it_should() {
    let folder = Path::new(DEPLOY).join("prometheus");
    for arguments in [
        &["check", "config", "prometheus.yml"],
        &["check", "rules", "hato.rules.yml"],
        &["test", "rules", "hato.rules.test.yml"],
    ] {
        let (succeeded, said) = promtool(&folder, arguments, "");
        assert!(succeeded, "{arguments:?}: {said}");
    }
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    let (rules, tests) = (read("hato.rules.yml"), read("hato.rules.test.yml"));
    for alert in rules.lines().filter_map(|line| line.split_once("alert: ")) {
        let fires = format!("alertname: {}\n        eval_time", alert.1);
        assert!(tests.contains(&fires), "{} has no test", alert.1);
    }
}

#[test]
fn the_dashboard_asks_in_prometheus_language() {
    let expressions = dashboard_expressions();
    assert!(expressions.len() > 30, "{expressions:?}");
    let rules = (0..).zip(expressions);
    let rules =
        rules.map(|(number, expr)| json!({"record": format!("panel:{number}"), "expr": expr}));
    let groups = json!({"groups": [{"name": "panels", "rules": rules.collect::<Vec<_>>()}]});
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("panels.json"), groups.to_string()).expect("a file");
    let (succeeded, said) = promtool(folder.path(), &["check", "rules", "panels.json"], "");
    assert!(succeeded, "{said}");
}
