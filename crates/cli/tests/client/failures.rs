//! One line, a code, and what to do.

use hato_testkit::push_service::PushService;
use serde_json::Value;

use crate::stage::{Port, Run, Stage};

#[tokio::test]
async fn a_refusal_is_one_line_for_people_and_json_for_programs() {
    let stage = Stage::new().await;
    let ran = stage.with_key("notify", &["stats"]).await.ran().await;
    assert_eq!(ran.refusal(), (4, "INSUFFICIENT_SCOPE"));
    assert!(
        ran.output.is_empty() && ran.errors.contains("hato keys create"),
        "{ran:?}"
    );
    let ran = stage
        .with_key("notify", &["stats", "--json"])
        .await
        .ran()
        .await;
    let error: Value = serde_json::from_str(&ran.errors).expect("JSON");
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
        let ran = Run::new(home.path(), line).ran().await;
        assert_eq!(ran.refusal(), (2, "usage"), "{line:?}");
        assert!(ran.errors.contains(said), "{ran:?}");
        let programs = [line, &["--json"]].concat();
        let ran = Run::new(home.path(), &programs).ran().await;
        let error: Value = serde_json::from_str(&ran.errors).expect("JSON");
        assert_eq!((ran.code, &error["code"]), (2, &"usage".into()), "{error}");
    }
    let version = Run::new(home.path(), &["--version"]).done().await;
    assert!(version.starts_with("hato "), "{version}");
}

#[tokio::test]
async fn a_key_is_never_used_for_another_app_than_the_named_one() {
    let stage = Stage::new().await;
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
        let run = stage.with_key("full", line).await.env("HATO_APP", "app_b");
        let ran = run.ran().await;
        assert_eq!(ran.refusal(), (4, "APP_MISMATCH"), "{line:?}");
        assert!(ran.errors.contains("--app"), "{ran:?}");
    }
    let sends = stage.with_key("full", &["history"]).await.json().await;
    assert_eq!(sends["items"], serde_json::json!([]));

    let key = stage.app.owner.create_key(&stage.app.id, "a", "full").await;
    let key = key.expect("a key");
    let login = stage
        .hato(&["login", "--key", "--app", "app_b"])
        .input(&key);
    assert_eq!(login.ran().await.refusal(), (4, "APP_MISMATCH"));
    assert!(!stage.home.path().join("config").exists());
    let doctor = ["doctor", "--app", "app_b"];
    let doctor = stage.hato(&doctor).env("HATO_KEY", &key).ran().await;
    assert!(doctor.output.contains("not of app_b"), "{doctor:?}");

    let own = ["notify", "a", "b", "--app", &stage.app.id];
    stage.with_key("notify", &own).await.done().await;
}

#[tokio::test]
async fn a_bad_link_is_refused_by_the_server() {
    let stage = Stage::new().await;
    let line = ["notify", "a", "b", "--url", "http://example.com/"];
    let ran = stage.with_key("notify", &line).await.ran().await;
    assert_eq!(ran.refusal(), (3, "INVALID_URL"));
}

#[tokio::test]
async fn nobody_there() {
    let stage = Stage::new().await;
    let nobody = Port::reserve();
    let url = format!("http://{}", nobody.address);
    let run = stage
        .with_key("full", &["stats"])
        .await
        .env("HATO_URL", &url);
    assert_eq!(run.ran().await.refusal(), (6, "no-answer"));
}

#[tokio::test]
async fn somebody_else_there() {
    let stage = Stage::new().await;
    let site = hato_testkit::customer_site::SiteSettings::new("https://h.example", "pk_");
    let site = hato_testkit::customer_site::CustomerSite::start(site)
        .await
        .expect("a site");
    let run = stage
        .with_key("full", &["stats"])
        .await
        .env("HATO_URL", &site.url());
    assert_eq!(run.ran().await.refusal(), (6, "no-api"));
}

#[tokio::test]
async fn an_address_that_is_none() {
    let home = tempfile::TempDir::new().expect("a folder");
    for url in ["nowhere", "ftp://a.example", "http://a.example/path"] {
        let run = Run::new(home.path(), &["stats"]).env("HATO_URL", url);
        let ran = run.env("HATO_KEY", "pk_1").ran().await;
        assert_eq!(ran.refusal(), (2, "usage"), "{url}");
    }
}

#[tokio::test]
async fn a_certificate_has_to_lead_to_a_trusted_root() {
    let stage = Stage::new().await;
    let service = PushService::start().await;
    let ask = async || {
        let run = stage.with_key("full", &["stats"]).await;
        run.env("HATO_URL", service.origin())
    };
    let ran = ask().await.ran().await;
    assert_eq!(ran.refusal(), (6, "no-answer"));
    assert!(ran.errors.contains("SSL_CERT_FILE"), "{ran:?}");
    let ca = stage.home.path().join("ca.pem");
    service.write_ca(&ca).expect("a file");
    let trusted = ask().await.env("SSL_CERT_FILE", &ca.to_string_lossy());
    // A push service answers there, which has no such address.
    assert_eq!(trusted.ran().await.refusal(), (6, "no-api"));
}
