//! What every answer carries, and what no page contains.

use axum::body::Body;
use hato_domain::ErrorCode;
use http::{Request, StatusCode};

use crate::site::{Answer, Site};

const PUBLIC: [&str; 5] = ["/", "/pricing", "/register", "/login", "/no/such/page"];

#[tokio::test]
async fn scripts_run_by_nonce_alone() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let mut stranger = site.browser();
    for path in PUBLIC {
        is_protected(&stranger.get(path).await);
    }
    for path in ["/apps", &app, "/apps/app_1"] {
        let answer = browser.get(path).await;
        is_protected(&answer);
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn only_lively_pages_load_scripts() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
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
    let site = Site::open().await;
    let answer = site.browser().get("/no/such/page").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    answer.shows("この便は宛先不明です").shows("NOT_FOUND");
}

#[tokio::test]
async fn an_error_page_has_the_codes_status_and_sentence() {
    let site = Site::open().await;
    let request = Request::post("/_app/login").body(Body::empty());
    let request = request.expect("a request");
    let answer = hato_app::error_page(&site.context, request, ErrorCode::RateLimited).await;
    let answer = Answer::read(answer).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    answer.shows(ErrorCode::RateLimited.message());
    is_protected(&answer);
}

#[tokio::test]
async fn an_endless_form_is_not_read() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let id = app.strip_prefix("/apps/").expect("an app's path");
    let body = "x".repeat(300 * 1024);
    let fields = [
        ("title", "t"),
        ("body", &body),
        ("step", "send"),
        ("once", "1"),
    ];
    let answer = browser.post(&format!("{app}/send"), &fields).await;
    answer.hides(&body);
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("まだ何も送っていません");
    let fields = [("app", id), ("name", &body)];
    let answer = browser.post("/_app/rename_app", &fields).await;
    assert!(!answer.header("location").contains("done"));
    browser.get(&app).await.shows("blog");
}

#[track_caller]
fn is_protected(answer: &Answer) {
    let policy = answer.header("content-security-policy");
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
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("referrer-policy"), "same-origin");
    for script in answer.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap_or_default();
        assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "{tag}");
    }
    for forbidden in [" style=\"", " onclick=", "<style", "//fonts."] {
        answer.hides(forbidden);
    }
}
