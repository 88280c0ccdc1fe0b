//! Registering, logging in and out.

use hato_domain::ErrorCode;

use crate::site::{PASSWORD, Site};

#[tokio::test]
async fn strangers_are_led_to_the_login() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (path, login) in [
        ("/apps", "/login?next=%2Fapps"),
        (
            "/apps/app_1?before=1&before_id=snd_1",
            "/login?next=%2Fapps%2Fapp_1%3Fbefore%3D1%26before_id%3Dsnd_1",
        ),
    ] {
        assert_eq!(browser.get(path).await.leads_to(), login);
    }
    for form in ["create_app", "create_key", "cancel_send"] {
        let fields = [("app", "app_1"), ("name", "x")];
        let answer = browser.post(&format!("/_app/{form}"), &fields).await;
        let login = answer.leads_to();
        assert!(login.starts_with("/login?next=%2Fapps"), "{form}");
    }
}

#[tokio::test]
async fn a_login_leads_on_to_paths_of_this_site_alone() {
    let site = Site::open().await;
    site.signed_in("owner@example.com").await;
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
        let mut browser = site.browser();
        assert_eq!(
            browser.post("/_app/login", &fields).await.leads_to(),
            leads_to
        );
        assert_eq!(browser.get("/login").await.leads_to(), "/apps");
    }
    let page = site.browser().get("/login?next=//evil.example/").await;
    page.hides("value=\"//evil.example");
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed_but_no_password() {
    let site = Site::open().await;
    let mut browser = site.browser();
    let fields = [
        ("email", "owner@example.com"),
        ("password", "not-the-password"),
        ("next", "/apps"),
    ];
    let answer = browser.post("/_app/login", &fields).await;
    let path = answer.leads_to();
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

#[tokio::test]
async fn every_login_has_a_session_of_its_own_and_logging_out_ends_it() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let mut other = site.browser();
    let fields = [("email", "owner@example.com"), ("password", PASSWORD)];
    assert_eq!(other.post("/_app/login", &fields).await.leads_to(), "/apps");
    browser.get("/apps").await.shows("owner@example.com");
    assert_eq!(browser.post("/_app/logout", &[]).await.leads_to(), "/");
    assert_eq!(browser.get("/apps").await.leads_to(), "/login?next=%2Fapps");
    other.get("/apps").await.shows("owner@example.com");
}

#[tokio::test]
async fn the_address_of_a_refused_form_leads_to_the_form() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (call, form) in [("login", "/login"), ("register", "/register")] {
        let path = format!("/_app/{call}");
        assert_eq!(browser.get(&path).await.leads_to(), form);
    }
}

#[tokio::test]
async fn errors_are_those_of_the_table() {
    let site = Site::open().await;
    site.signed_in("owner@example.com").await;
    for (email, password, code) in [
        ("OWNER@example.com", PASSWORD, ErrorCode::EmailInUse),
        ("nobody", PASSWORD, ErrorCode::InvalidEmail),
        ("a@example.com", "short", ErrorCode::InvalidInput),
        ("", PASSWORD, ErrorCode::MissingFields),
    ] {
        let fields = [("email", email), ("password", password)];
        let page = site.browser().submit("/_app/register", &fields).await;
        page.shows(code.message());
    }
}

#[tokio::test]
async fn closed_registration_offers_no_form() {
    let site = Site::with(false).await;
    let page = site.browser().get("/register").await;
    page.hides("/_app/register");
    let fields = [("email", "a@example.com"), ("password", PASSWORD)];
    let answer = site.browser().post("/_app/register", &fields).await;
    assert!(answer.leads_to().contains("error=REGISTRATION_CLOSED"));
}

#[tokio::test]
async fn a_script_gets_the_code_instead_of_a_redirect() {
    let site = Site::open().await;
    let mut browser = site.browser();
    browser.accepts = "application/json";
    let fields = [("email", "a@example.com"), ("password", PASSWORD)];
    let answer = browser.post("/_app/login", &fields).await;
    assert_eq!(
        answer.status.as_u16(),
        ErrorCode::InvalidCredentials.status()
    );
    assert_eq!(answer.body, "\"INVALID_CREDENTIALS\"");
}

#[tokio::test]
async fn the_way_through_github_stands_beside_the_forms() {
    let site = Site::open().await;
    let mut browser = site.browser();
    for (language, text) in [("ja", "GitHub で続ける"), ("en", "Continue with GitHub")] {
        browser.speaks = language;
        for page in ["/login", "/register"] {
            let page = browser.get(page).await;
            page.shows("href=\"/auth/github\"").shows(text);
        }
    }
    let onward = browser.get("/register?next=/apps/app_1").await;
    onward.shows("href=\"/auth/github?next=%2Fapps%2Fapp_1\"");
    let closed = Site::with(false).await;
    let mut browser = closed.browser();
    browser.get("/login").await.shows("href=\"/auth/github\"");
    browser.get("/register").await.hides("/auth/github");
}
