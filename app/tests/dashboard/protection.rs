//! What every response carries, and what no page contains.

use axum::body::Body;
use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;
use http::{Request, StatusCode};

use crate::harness::{PageResponse, TestDashboard};

const PUBLIC: [&str; 5] = ["/", "/pricing", "/register", "/login", "/no/such/page"];

#[tokio::test]
async fn scripts_run_by_nonce_alone() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let mut stranger = dashboard.browser();
    for path in PUBLIC {
        is_protected(&stranger.get(path).await);
    }
    for path in ["/apps", &app, "/apps/app_1"] {
        let response = browser.get(path).await;
        is_protected(&response);
        assert_eq!(response.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn only_pages_with_islands_load_scripts() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let page = browser.get(&app).await;
    page.shows("/pkg/hato-0123456789ab.css")
        .shows("\"hato-0123456789ab\", \"hato-0123456789ab\"");
    let apps = browser.get("/apps").await;
    apps.shows("/pkg/hato-0123456789ab.css")
        .hides("<script type");
}

#[tokio::test]
async fn what_does_not_exist_is_a_page_with_its_status() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let response = dashboard.browser().get("/no/such/page").await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    response.shows("この便は宛先不明です").shows("NOT_FOUND");
}

#[tokio::test]
async fn an_error_page_has_the_codes_status_and_sentence() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let request = Request::post("/_app/login").body(Body::empty());
    let request = request.expect("a request");
    let response = hato_app::error_page(&dashboard.context, request, ErrorCode::RateLimited).await;
    let response = PageResponse::read(response).await;
    assert_eq!(response.status, StatusCode::TOO_MANY_REQUESTS);
    response.shows(ErrorCode::RateLimited.message());
    is_protected(&response);
}

#[tokio::test]
async fn an_endless_form_is_not_read() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let id = app.strip_prefix("/apps/").expect("an app's path");
    let body = "x".repeat(300 * 1024);
    let fields = [
        ("title", "t"),
        ("body", &body),
        ("step", "send"),
        ("idempotency_key", "1"),
    ];
    let response = browser.post(&format!("{app}/send"), &fields).await;
    response.hides(&body);
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("まだ何も送っていません");
    let fields = [("app", id), ("name", &body)];
    let response = browser.post("/_app/rename_app", &fields).await;
    assert!(!response.header("location").contains("done"));
    browser.get(&app).await.shows("blog");
}

#[track_caller]
fn is_protected(response: &PageResponse) {
    let policy = response.header("content-security-policy");
    let nonce = policy
        .split("'nonce-")
        .nth(1)
        .and_then(|rest| rest.split('\'').next());
    let nonce = nonce.expect("a nonce in the policy");
    assert!(
        !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
        "{policy}"
    );
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"));
    assert_eq!(response.header("x-content-type-options"), "nosniff");
    assert_eq!(response.header("referrer-policy"), "same-origin");
    for script in response.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap_or_default();
        assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{tag}");
    }
    for forbidden in [" style=\"", " onclick=", "<style", "//fonts."] {
        response.hides(forbidden);
    }
}
