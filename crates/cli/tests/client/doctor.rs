//! What the doctor finds.

use hato_testkit::customer_site::{CustomerSite, Policy, SiteSettings};
use serde_json::Value;
use tempfile::TempDir;

use crate::setup::{CliCommand, CliSetup, Port, launch};
use crate::stub_site::{StubSite, answer};

/// A server that knows how browsers reach it.
pub async fn setup() -> CliSetup {
    let port = Port::reserve();
    let address = port.address.to_string();
    let launch = launch()
        .env("HATO_LISTEN", address.as_str())
        .env("HATO_BASE_URL", format!("http://{address}"))
        .env("HATO_VAPID_SUBJECT", "mailto:push@hato.dev");
    CliSetup::with_launch(launch).await
}

/// The verdict of each check, and its exit code.
async fn verdicts(run: CliCommand) -> (i32, Vec<(String, String)>) {
    let output = run.output().await;
    let findings: Vec<Value> =
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let text = |finding: &Value, member: &str| finding[member].as_str().map(str::to_owned);
    let each = findings
        .iter()
        .map(|it| text(it, "check").zip(text(it, "verdict")).expect("both"));
    (output.code, each.collect())
}

fn problems(verdicts: &[(String, String)]) -> Vec<&str> {
    let problems = verdicts.iter().filter(|(_, verdict)| verdict == "problem");
    problems.map(|(check, _)| check.as_str()).collect()
}

#[tokio::test]
async fn a_sound_set_up_has_no_problems() {
    let setup = setup().await;
    let site = SiteSettings::new(setup.server.url(), "pk_");
    let site = CustomerSite::start(site).await.expect("a site");
    let line = ["doctor", "--json", "--site", &site.url()];
    let (code, found) = verdicts(setup.with_key("full", &line).await).await;
    assert_eq!((code, problems(&found)), (0, vec![]), "{found:?}");
    let checks: Vec<_> = found.iter().map(|(check, _)| check.as_str()).collect();
    let expected = [
        "server",
        "clock",
        "address",
        "tls",
        "sdk",
        "key",
        "subject",
        "site",
        "page-csp",
        "worker",
        "worker-csp",
    ];
    assert_eq!(checks, expected);
    assert!(
        found.iter().all(|(_, verdict)| verdict == "fine"),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_policy_in_the_way_is_found() {
    let setup = setup().await;
    let mut site = SiteSettings::new(setup.server.url(), "pk_");
    site.policy = Policy::WithoutWasm;
    let site = CustomerSite::start(site).await.expect("a site");
    let line = ["doctor", "--json", "--site", &site.url()];
    let (code, found) = verdicts(setup.with_key("full", &line).await).await;
    assert_eq!(
        (code, problems(&found)),
        (1, vec!["worker-csp"]),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_worker_that_is_not_ours_is_found() {
    let setup = setup().await;
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("index.html"), "<p>").expect("a page");
    std::fs::write(folder.path().join("other.js"), "importScripts('x')").expect("a worker");
    let mut site = SiteSettings::new(setup.server.url(), "pk_");
    site.folder = folder.path().to_owned();
    let site = CustomerSite::start(site).await.expect("a site");
    for worker in ["/hato-sw.js", "/other.js"] {
        let url = site.url();
        let line = ["doctor", "--json", "--site", &url, "--worker", worker];
        let (code, found) = verdicts(setup.with_key("full", &line).await).await;
        assert_eq!((code, problems(&found)), (1, vec!["worker"]), "{found:?}");
    }
}

#[tokio::test]
async fn the_page_is_the_one_that_visitors_end_up_on() {
    let setup = setup().await;
    let hato = setup.server.url();
    let import = format!("importScripts('{hato}/sdk/sw.js')");
    let script = "Content-Type: text/javascript\r\n";
    let site = StubSite::serve(move |path| match path {
        "/" => answer("302 Found", "Location: /de/\r\n", ""),
        "/de/" => answer(
            "200 OK",
            "Content-Security-Policy: connect-src *\r\n\
                                    Content-Security-Policy: worker-src 'none'\r\n",
            "<p>",
        ),
        "/round" => answer("302 Found", "Location: /round\r\n", ""),
        "/hato-sw.js" => answer("200 OK", script, &import),
        "/moved.js" => answer("301 Moved", "Location: /hato-sw.js\r\n", ""),
        "/commented.js" => answer("200 OK", script, &format!("// {import}")),
        "/built.js" => answer("200 OK", script, "importScripts(HATO)"),
        "/pinned.js" => answer("200 OK", script, &import.replace("sw.js", "9.9.9/sw.js")),
        _ => answer("404 Not Found", "", "<p>"),
    });
    let site = site.await;
    for (page, worker, expected) in [
        ("/", "/hato-sw.js", vec!["page-csp"]),
        ("/gone", "/hato-sw.js", vec!["site"]),
        ("/round", "/hato-sw.js", vec!["site"]),
        ("/de/", "/moved.js", vec!["page-csp", "worker"]),
        ("/de/", "/commented.js", vec!["page-csp", "worker"]),
        ("/de/", "/pinned.js", vec!["page-csp", "worker"]),
        ("/de/", "/built.js", vec!["page-csp"]),
    ] {
        let page = format!("{site}{page}");
        let line = ["doctor", "--json", "--site", &page, "--worker", worker];
        let (code, found) = verdicts(setup.with_key("full", &line).await).await;
        assert_eq!(
            (code, problems(&found)),
            (1, expected),
            "{page} {worker} {found:?}"
        );
    }
}

#[tokio::test]
async fn a_server_whose_scripts_do_not_come_through_is_found() {
    let proxy = StubSite::serve(|_| answer("404 Not Found", "", "")).await;
    let launch = launch()
        .env("HATO_BASE_URL", &*proxy)
        .env("HATO_VAPID_SUBJECT", "mailto:push@hato.dev");
    let setup = CliSetup::with_launch(launch).await;
    let (code, found) = verdicts(setup.with_key("full", &["doctor", "--json"]).await).await;
    assert_eq!((code, problems(&found)), (1, vec!["sdk"]), "{found:?}");
}

#[tokio::test]
async fn each_scope_is_told() {
    let setup = setup().await;
    for (scope, code) in [("full", 0), ("notify", 0), ("subscribe_only", 1)] {
        let output = setup.with_key(scope, &["doctor"]).await.output().await;
        assert_eq!(output.code, code, "{output:?}");
        assert!(
            output.stdout.contains(&format!("scope {scope}, app app_")),
            "{output:?}"
        );
    }
    let dead = format!("pk_{}", "0".repeat(64));
    let output = setup
        .hato(&["doctor"])
        .env("HATO_KEY", &dead)
        .output()
        .await;
    assert!(
        output.code == 1 && output.stdout.contains("INVALID_API_KEY"),
        "{output:?}"
    );
    assert!(output.stdout.contains("→ make a new key"), "{output:?}");
}

#[tokio::test]
async fn a_server_that_browsers_refuse_is_found() {
    let launch = launch()
        .env("HATO_BASE_URL", "http://push.hato.dev")
        .env("HATO_VAPID_SUBJECT", "mailto:admin@localhost");
    let setup = CliSetup::with_launch(launch).await;
    let (code, found) = verdicts(setup.with_key("full", &["doctor", "--json"]).await).await;
    assert_eq!(
        (code, problems(&found)),
        (1, vec!["tls", "subject"]),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_problem_with_a_remedy() {
    let home = TempDir::new().expect("a folder");
    let run = CliCommand::new(home.path(), &["doctor", "--server", "http://127.0.0.1:1"]);
    let output = run.output().await;
    assert_eq!(output.error_code(), (1, "problems"));
    assert!(output.stdout.contains("→ start the server"), "{output:?}");
}

#[tokio::test]
async fn whoever_is_not_signed_in_is_told_how() {
    let setup = setup().await;
    let output = setup.hato(&["doctor"]).output().await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("→ set HATO_KEY"), "{output:?}");
}

#[tokio::test]
async fn a_key_is_not_blamed_for_the_server() {
    for (status, code, expected) in [
        ("429 Too Many Requests", "RATE_LIMITED", "wait a minute"),
        (
            "503 Service Unavailable",
            "CONFIG_ERROR",
            "the server's operator",
        ),
        ("200 OK", "none", "what stands in front of it"),
    ] {
        let body = serde_json::json!({"error": "x", "code": code}).to_string();
        let server = StubSite::serve(move |_| answer(status, "", &body)).await;
        let home = TempDir::new().expect("a folder");
        let doctor = CliCommand::new(home.path(), &["doctor", "--json"]);
        let doctor = doctor.env("HATO_URL", &server).env("HATO_KEY", "pk_1");
        let findings: Value = serde_json::from_str(&doctor.output().await.stdout).expect("JSON");
        let findings = findings.as_array().expect("findings");
        let key = findings.iter().find(|it| it["check"] == "key");
        let hint = key.and_then(|key| key["remedy"].as_str()).expect("a hint");
        assert!(hint.contains(expected), "{hint}");
        // Whatever is not fine comes with what to do.
        let has_hint = |it: &Value| it["verdict"] == "fine" || it["remedy"].is_string();
        assert!(findings.iter().all(has_hint), "{findings:?}");
    }
}
