//! One line, a code, and what to do.

use hato_testkit::push_service::PushService;
use serde_json::Value;

use crate::setup::{CliCommand, CliSetup, Port};

#[tokio::test]
async fn a_refusal_is_one_line_for_people_and_json_for_programs() {
    let setup = CliSetup::new().await;
    let output = setup.with_key("notify", &["stats"]).await.output().await;
    assert_eq!(output.error_code(), (4, "INSUFFICIENT_SCOPE"));
    assert!(
        output.stdout.is_empty() && output.stderr.contains("hato keys create"),
        "{output:?}"
    );
    let output = setup
        .with_key("notify", &["stats", "--json"])
        .await
        .output()
        .await;
    let error: Value = serde_json::from_str(&output.stderr).expect("JSON");
    assert_eq!(error["code"], "INSUFFICIENT_SCOPE");
    assert!(
        error["remedy"].is_string() && error["error"].is_string(),
        "{error}"
    );
}

#[tokio::test]
async fn a_wrong_command_line_is_a_failure_like_any_other() {
    let home = tempfile::TempDir::new().expect("a folder");
    for (line, said) in [
        (&["notify", "a"][..], "<BODY>"),
        (&["histori"][..], "'histori'"),
        (&["stats", "--nothing"][..], "'--nothing'"),
        (&["history", "--limit", "none"][..], "'none'"),
    ] {
        let output = CliCommand::new(home.path(), line).output().await;
        assert_eq!(output.error_code(), (2, "usage"), "{line:?}");
        assert!(output.stderr.contains(said), "{output:?}");
        let programs = [line, &["--json"]].concat();
        let output = CliCommand::new(home.path(), &programs).output().await;
        let error: Value = serde_json::from_str(&output.stderr).expect("JSON");
        assert_eq!(
            (output.code, &error["code"]),
            (2, &"usage".into()),
            "{error}"
        );
    }
    let version = CliCommand::new(home.path(), &["--version"]).success().await;
    assert!(version.starts_with("hato "), "{version}");
}

#[tokio::test]
async fn a_key_is_never_used_for_another_app_than_the_named_one() {
    let setup = CliSetup::new().await;
    let endpoint = "https://push.example.com/1";
    for line in [
        &["notify", "a", "b"][..],
        &["notify", "a", "b", "--to", endpoint],
        &["notify", "a", "b", "--wait"],
        &["subscriptions", "remove", endpoint],
        &["stats"],
        &["keys", "list"],
        &["history"],
        &["dead-letters"],
        &["key-events"],
        &["webhook", "show"],
        &["apps", "show"],
    ] {
        let run = setup.with_key("full", line).await.env("HATO_APP", "app_b");
        let output = run.output().await;
        assert_eq!(output.error_code(), (4, "APP_MISMATCH"), "{line:?}");
        assert!(output.stderr.contains("--app"), "{output:?}");
    }
    let sends = setup.with_key("full", &["history"]).await.json().await;
    assert_eq!(sends["items"], serde_json::json!([]));

    let key = setup.app.owner.create_key(&setup.app.id, "a", "full").await;
    let key = key.expect("a key");
    let login = setup
        .hato(&["login", "--key", "--app", "app_b"])
        .input(&key);
    assert_eq!(login.output().await.error_code(), (4, "APP_MISMATCH"));
    assert!(!setup.home.path().join("config").exists());
    let doctor = ["doctor", "--app", "app_b"];
    let doctor = setup.hato(&doctor).env("HATO_KEY", &key).output().await;
    assert!(doctor.stdout.contains("not of app_b"), "{doctor:?}");

    let own = ["notify", "a", "b", "--app", &setup.app.id];
    setup.with_key("notify", &own).await.success().await;
}

#[tokio::test]
async fn a_bad_link_is_refused_by_the_server() {
    let setup = CliSetup::new().await;
    let line = ["notify", "a", "b", "--url", "http://example.com/"];
    let output = setup.with_key("notify", &line).await.output().await;
    assert_eq!(output.error_code(), (3, "INVALID_URL"));
}

#[tokio::test]
async fn nobody_there() {
    let setup = CliSetup::new().await;
    let nobody = Port::reserve();
    let url = format!("http://{}", nobody.address);
    let run = setup
        .with_key("full", &["stats"])
        .await
        .env("HATO_URL", &url);
    assert_eq!(run.output().await.error_code(), (6, "no-answer"));
}

#[tokio::test]
async fn somebody_else_there() {
    let setup = CliSetup::new().await;
    let site = hato_testkit::customer_site::SiteSettings::new("https://h.example", "pk_");
    let site = hato_testkit::customer_site::CustomerSite::start(site)
        .await
        .expect("a site");
    let run = setup
        .with_key("full", &["stats"])
        .await
        .env("HATO_URL", &site.url());
    assert_eq!(run.output().await.error_code(), (6, "no-api"));
}

#[tokio::test]
async fn an_address_that_is_none() {
    let home = tempfile::TempDir::new().expect("a folder");
    for url in ["nowhere", "ftp://a.example", "http://a.example/path"] {
        let run = CliCommand::new(home.path(), &["stats"]).env("HATO_URL", url);
        let output = run.env("HATO_KEY", "pk_1").output().await;
        assert_eq!(output.error_code(), (2, "usage"), "{url}");
    }
}

#[tokio::test]
async fn a_certificate_has_to_lead_to_a_trusted_root() {
    let setup = CliSetup::new().await;
    let service = PushService::start().await;
    let ask = async || {
        let run = setup.with_key("full", &["stats"]).await;
        run.env("HATO_URL", service.origin())
    };
    let output = ask().await.output().await;
    assert_eq!(output.error_code(), (6, "no-answer"));
    assert!(output.stderr.contains("SSL_CERT_FILE"), "{output:?}");
    let ca = setup.home.path().join("ca.pem");
    service.write_ca(&ca).expect("a file");
    let trusted = ask().await.env("SSL_CERT_FILE", &ca.to_string_lossy());
    // A push service answers there, which has no such address.
    assert_eq!(trusted.output().await.error_code(), (6, "no-api"));
}
