//! Registering, logging in and out.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{PASSWORD, TestDashboard};

#[tokio::test]
async fn strangers_are_led_to_the_login() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    for (path, login) in [
        ("/apps", "/login?next=%2Fapps"),
        (
            "/apps/app_1?before=1&before_id=snd_1",
            "/login?next=%2Fapps%2Fapp_1%3Fbefore%3D1%26before_id%3Dsnd_1",
        ),
    ] {
        assert_eq!(browser.get(path).await.location(), login);
    }
    for form in ["create_app", "create_key", "cancel_send"] {
        let fields = [("app", "app_1"), ("name", "x")];
        let response = browser.post(&format!("/_app/{form}"), &fields).await;
        let login = response.location();
        assert!(login.starts_with("/login?next=%2Fapps"), "{form}");
    }
}

#[tokio::test]
async fn a_login_leads_on_to_paths_of_this_site_alone() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    dashboard.logged_in("owner@example.com").await;
    for (next, leads_to) in [
        ("/apps/app_1", "/apps/app_1"),
        ("", "/apps"),
        ("https://evil.example/", "/apps"),
        ("//evil.example/", "/apps"),
    ] {
        let fields = [
            ("email", "Owner@example.com"),
            ("password", PASSWORD),
            ("next", next),
        ];
        let mut browser = dashboard.browser();
        assert_eq!(
            browser.post("/_app/login", &fields).await.location(),
            leads_to
        );
        assert_eq!(browser.get("/login").await.location(), "/apps");
    }
    let page = dashboard.browser().get("/login?next=//evil.example/").await;
    page.hides("value=\"//evil.example");
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed_but_no_password() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    let fields = [
        ("email", "owner@example.com"),
        ("password", "not-the-password"),
        ("next", "/apps"),
    ];
    let response = browser.post("/_app/login", &fields).await;
    let path = response.location();
    assert_eq!(
        path,
        "/login?next=%2Fapps&error=INVALID_CREDENTIALS&form=login#login"
    );
    let page = browser.get(&path).await;
    page.shows(ErrorCode::InvalidCredentials.message())
        .shows(r#"value="owner@example.com""#)
        .shows(r#"name="next" value="/apps""#)
        .hides("not-the-password");
    browser.get(&path).await.hides("owner@example.com");
}

#[on_each_database]
async fn every_login_has_a_session_of_its_own_and_logging_out_ends_it(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let mut other = dashboard.browser();
    let fields = [("email", "owner@example.com"), ("password", PASSWORD)];
    assert_eq!(other.post("/_app/login", &fields).await.location(), "/apps");
    browser.get("/apps").await.shows("owner@example.com");
    assert_eq!(browser.post("/_app/logout", &[]).await.location(), "/");
    assert_eq!(browser.get("/apps").await.location(), "/login?next=%2Fapps");
    other.get("/apps").await.shows("owner@example.com");
}

#[tokio::test]
async fn the_address_of_a_refused_form_leads_to_the_form() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    for (call, form) in [("login", "/login"), ("register", "/register")] {
        let path = format!("/_app/{call}");
        assert_eq!(browser.get(&path).await.location(), form);
    }
}

#[on_each_database]
async fn errors_are_those_of_the_table(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    dashboard.logged_in("owner@example.com").await;
    for (email, password, code) in [
        ("OWNER@example.com", PASSWORD, ErrorCode::EmailInUse),
        ("nobody", PASSWORD, ErrorCode::InvalidEmail),
        ("a@example.com", "short", ErrorCode::InvalidInput),
        ("", PASSWORD, ErrorCode::MissingFields),
    ] {
        let fields = [("email", email), ("password", password)];
        let page = dashboard.browser().submit("/_app/register", &fields).await;
        page.shows(code.message());
    }
}

#[tokio::test]
async fn closed_registration_offers_no_form() {
    let dashboard = TestDashboard::closed(TestDatabase::sqlite().await).await;
    let page = dashboard.browser().get("/register").await;
    page.hides("/_app/register");
    let fields = [("email", "a@example.com"), ("password", PASSWORD)];
    let response = dashboard.browser().post("/_app/register", &fields).await;
    assert!(response.location().contains("error=REGISTRATION_CLOSED"));
}

#[tokio::test]
async fn a_script_gets_the_code_instead_of_a_redirect() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    browser.accept = "application/json";
    let fields = [("email", "a@example.com"), ("password", PASSWORD)];
    let response = browser.post("/_app/login", &fields).await;
    assert_eq!(
        response.status.as_u16(),
        ErrorCode::InvalidCredentials.status()
    );
    assert_eq!(response.body, "\"INVALID_CREDENTIALS\"");
}

#[tokio::test]
async fn the_way_through_github_stands_beside_the_forms() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    for (language, text) in [("ja", "GitHub で続ける"), ("en", "Continue with GitHub")] {
        browser.language = language;
        for page in ["/login", "/register"] {
            let page = browser.get(page).await;
            page.shows("href=\"/auth/github\"").shows(text);
        }
    }
    let onward = browser.get("/register?next=/apps/app_1").await;
    onward.shows("href=\"/auth/github?next=%2Fapps%2Fapp_1\"");
    let closed = TestDashboard::closed(TestDatabase::sqlite().await).await;
    let mut browser = closed.browser();
    browser.get("/login").await.shows("href=\"/auth/github\"");
    browser.get("/register").await.hides("/auth/github");
}
