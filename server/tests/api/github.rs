//! Logging in through GitHub (SPEC 4.14, CONTRACT 4), against a provider that checks what GitHub checks.

mod linking;
pub mod login_browser;
mod refusals;
mod review;

use hato_testkit::github::{Github, GithubAccount};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::test_ca::TestCa;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use url::Url;

use self::login_browser::LoginBrowser;
use crate::fixtures::{BINARY, start};

/// A server whose people log in at `github`, and which believes in the addresses that tests give themselves.
fn launch(database: TestDatabase, github: &Github) -> ServerLaunch {
    ServerLaunch::on(BINARY, database)
        .with_github(github)
        .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")
}

async fn setup(database: TestDatabase) -> (HatoServer, Github) {
    let github = Github::start().await;
    let server = start(launch(database, &github)).await;
    (server, github)
}

#[on_each_database]
async fn a_person_goes_to_github_and_comes_back_logged_in(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("Hato@Example.com"));
    let mut browser = LoginBrowser::new(&server);

    let away = browser.get("/auth/github").await;
    assert_eq!(away.status, 302);
    assert_eq!(away.header("cache-control"), Some("no-store"));
    let cookie = away.header("set-cookie").expect("a cookie");
    for attribute in ["HttpOnly", "SameSite=Lax", "Path=/auth", "Max-Age=600"] {
        assert!(cookie.split("; ").any(|it| it == attribute), "{cookie}");
    }
    let location = away.header("location").expect("a location").to_owned();
    assert!(!location.contains(browser.cookie("hato_github").expect("kept")));
    let callback = github.approve(&location);

    let back = browser.get(&callback).await;
    assert_eq!(
        (back.status.as_u16(), back.header("location")),
        (302, Some("/apps"))
    );
    let user = browser.user().await;
    assert_eq!(
        (&user["email"], &user["plan"]),
        (&json!("Hato@Example.com"), &json!("free"))
    );
    assert_eq!(browser.cookie("hato_github"), None, "it is used up");
    assert_eq!(browser.get("/apps").await.status, 200);
}

#[on_each_database]
async fn the_same_person_finds_the_same_account_whatever_their_address(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("old@example.com"));
    let first = LoginBrowser::logged_in(&server, &github).await.user().await;
    for changed in [
        GithubAccount::new(7).verified("new@example.com"),
        GithubAccount::new(7).email("new@example.com", true, false),
        GithubAccount::new(7),
    ] {
        github.set_user(changed);
        let again = LoginBrowser::logged_in(&server, &github).await.user().await;
        assert_eq!(again, first);
    }
    github.set_user(GithubAccount::new(8).verified("new@example.com"));
    let other = LoginBrowser::logged_in(&server, &github).await.user().await;
    assert_ne!(other["id"], first["id"]);
}

#[on_each_database]
async fn every_login_has_a_session_of_its_own(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    let mut browser = LoginBrowser::logged_in(&server, &github).await;
    let first = browser
        .cookie("hato_session")
        .expect("a session")
        .to_owned();
    browser.log_in(&github).await;
    assert_ne!(browser.cookie("hato_session"), Some(first.as_str()));
    let client = server.client();
    let dead = client.bearer(&first).get("/auth/session").await;
    assert_eq!(dead.expect("an answer").code(), "INVALID_SESSION");
    browser.user().await;
}

#[on_each_database]
async fn the_browser_comes_back_to_paths_of_this_site_alone(database: TestDatabase) {
    let (server, github) = setup(database).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));
    for (next, leads_to) in [
        ("/apps/app_1?before=1%262", "/apps/app_1?before=1%262"),
        ("//evil.example/", "/apps"),
        ("https://evil.example/", "/apps"),
        ("", "/apps"),
    ] {
        let mut browser = LoginBrowser::new(&server);
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("next", next)
            .finish();
        let callback = browser
            .agree(&github, &format!("/auth/github?{query}"))
            .await;
        let back = browser.get(&callback).await;
        assert_eq!(back.header("location"), Some(leads_to), "{next}");
    }
}

#[tokio::test]
async fn github_is_told_where_to_send_the_browser_back() {
    let github = Github::start().await;
    let base_url = ("HATO_BASE_URL", "https://push.example");
    let server =
        start(launch(TestDatabase::sqlite().await, &github).env(base_url.0, base_url.1)).await;
    let away = LoginBrowser::new(&server).get("/auth/github").await;
    let cookie = away.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let location = Url::parse(away.header("location").expect("a location")).expect("an address");
    let callback = location
        .query_pairs()
        .find(|(name, _)| name == "redirect_uri");
    let (_, callback) = callback.expect("an address to come back to");
    assert_eq!(callback, "https://push.example/auth/github/callback");
}

#[tokio::test]
async fn a_provider_within_the_house_may_have_a_certificate_of_its_own() {
    let test_ca = TestCa::new();
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    test_ca.write_pem(&ca).expect("written");
    let github = Github::start_tls(&test_ca).await;
    github.set_user(GithubAccount::new(7).verified("hato@example.com"));

    let server = start(
        launch(TestDatabase::sqlite().await, &github).env("HATO_OUTBOUND_CA", ca.to_string_lossy()),
    )
    .await;
    LoginBrowser::logged_in(&server, &github).await.user().await;

    let stranger = start(launch(TestDatabase::sqlite().await, &github)).await;
    let mut browser = LoginBrowser::new(&stranger);
    let callback = browser.agree(&github, "/auth/github").await;
    assert_eq!(browser.get(&callback).await.code(), "GITHUB_AUTH_FAILED");
}

#[tokio::test]
async fn the_pages_offer_what_the_server_does() {
    let (server, _github) = setup(TestDatabase::sqlite().await).await;
    let plain = crate::fixtures::server(TestDatabase::sqlite().await).await;
    for (page, way) in [
        ("/login", "href=\"/auth/github\""),
        ("/register", "href=\"/auth/github\""),
        (
            "/login?next=/apps/app_1",
            "href=\"/auth/github?next=%2Fapps%2Fapp_1\"",
        ),
    ] {
        let offered = LoginBrowser::new(&server).get(page).await.text();
        assert!(offered.contains(way), "{page}: {offered}");
        assert!(
            !LoginBrowser::new(&plain)
                .get(page)
                .await
                .text()
                .contains("github")
        );
    }
}
