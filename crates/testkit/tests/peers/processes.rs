//! The customer's site, and the handling of a server process.

use hato_testkit::{
    client::Client,
    customer_site::{CustomerSite, Policy, SiteSettings},
    firefox_profile,
    push_service::PushService,
    server::{ServerError, ServerLaunch},
};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};
use tempfile::TempDir;

#[tokio::test]
async fn the_site_loads_the_sdk_and_nothing_else() {
    let settings = SiteSettings::new("http://localhost:3000", "pk_0123");
    let site = CustomerSite::start(settings).await.expect("it starts");
    let client = Client::new(site.address());
    let text = async |path: &str| client.get(path).await.expect("a reply").text();

    let page = text("/").await;
    assert!(page.contains(r#"<script src="http://localhost:3000/sdk/hato.js"></script>"#));
    assert_eq!(
        page.matches("://").count() - page.matches("http://www.w3.org").count(),
        page.matches("http://localhost:3000/sdk/").count()
    );
    for id in ["subscribe", "unsubscribe", "state", "error"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let script = text("/site.js").await;
    assert!(script.contains(r#"baseUrl: "http://localhost:3000""#));
    assert!(script.contains(r#"appKey: "pk_0123""#));
    let worker = text("/hato-sw.js").await;
    assert_eq!(
        worker,
        "importScripts(\"http://localhost:3000/sdk/sw.js\");\n"
    );
}

#[tokio::test]
async fn the_site_is_its_folder_under_its_policy() {
    let settings = SiteSettings {
        policy: Policy::WithoutWasm,
        ..SiteSettings::new("http://localhost:3000", "pk_0123")
    };
    let site = CustomerSite::start(settings).await.expect("it starts");
    let client = Client::new(site.address());
    for path in ["/other", "/../plain/index.html", "/..", "//etc/passwd"] {
        let missing = client.get(path).await.expect("a reply");
        assert_eq!(missing.status, 404, "{path}");
    }
    let page = client.get("/").await.expect("a reply");
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.contains("script-src 'self' http://localhost:3000;"),
        "{policy}"
    );
}

#[test]
fn the_profile_points_firefox_at_the_service() {
    let folder = TempDir::new().expect("a folder");
    let profile = folder.path().join("profile");
    firefox_profile::write_profile(&profile, "ws://127.0.0.1:7/").expect("it is written");
    let prefs = fs::read_to_string(profile.join("user.js")).expect("it is there");
    assert!(prefs.contains(r#"user_pref("dom.push.serverURL", "ws://127.0.0.1:7/");"#));
    assert!(prefs.contains(r#"user_pref("dom.push.connection.enabled", true);"#));
}

/// A program in the server's place: `body` runs after it counted its starts in the data folder.
fn stand_in(folder: &TempDir, body: &str) -> PathBuf {
    let path = folder.path().join("server.sh");
    let script = format!("#!/bin/sh\necho start >> \"$HATO_DATA_DIR/starts\"\n{body}\n");
    fs::write(&path, script).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

#[tokio::test]
async fn a_server_is_killed_restarted_and_stopped() {
    let ready = PushService::start().await;
    let folder = TempDir::new().expect("a folder");
    let body = "trap 'exit 7' TERM\necho \"INFO listening on http://$READY \" >&2\n\
                while :; do sleep 1; done";
    let binary = stand_in(&folder, body);
    let launch = ServerLaunch::new(binary)
        .env("READY", ready.control_address().to_string())
        .with_push_service(&ready);

    let mut server = launch.start().await.expect("it starts");
    assert_eq!(server.address(), ready.control_address());
    assert!(server.data_dir().join("push-service-ca.pem").is_file());
    let state = server.client().get("/state").await.expect("a reply");
    assert_eq!(state.status, 200);

    server.kill().await;
    server.restart().await.expect("it starts again");
    assert!(server.log().contains("listening on"));
    let starts = fs::read_to_string(server.data_dir().join("starts"));
    assert_eq!(starts.expect("it is there").lines().count(), 2);
    let status = server.terminate().await.expect("it stops");
    assert_eq!(status.code(), Some(7));
}

#[tokio::test]
async fn a_server_that_does_not_start_says_why() {
    let folder = TempDir::new().expect("a folder");
    let binary = stand_in(&folder, "echo 'HATO_LISTEN takes an address' >&2; exit 2");
    match ServerLaunch::new(binary).start().await {
        Err(ServerError::Ended(log)) => assert!(log.contains("HATO_LISTEN takes an address")),
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it did not start"),
    }
}
