//! Forms that are refused: what is wrong is said where it is, and there is a way on.

use axum::body::Body;
use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;
use http::{Request, StatusCode};

use crate::harness::{OWNER, PASSWORD, PageResponse, TestDashboard};

#[tokio::test]
async fn a_refused_field_is_marked_and_named() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    dashboard.logged_in(OWNER).await;
    let named = "メールアドレスの形で入力してください";
    for (email, password, marked, said) in [
        ("nobody", PASSWORD, "register-email", Some(named)),
        ("", PASSWORD, "register-email", Some("入力してください。")),
        (OWNER, PASSWORD, "register-email", None),
        (
            "a@example.com",
            "short",
            "register-password",
            Some("8 文字以上、128 文字までで"),
        ),
    ] {
        let fields = [("email", email), ("password", password)];
        let page = dashboard.browser().submit("/_app/register", &fields).await;
        let input = page.between(&format!("<input id=\"{marked}\""), ">");
        let input = input.expect("the field");
        assert!(input.contains("aria-invalid=\"true\""), "{email}: {input}");
        assert_eq!(page.body.matches("aria-invalid").count(), 1, "{email}");
        let wrong = page.between(&format!("id=\"{marked}-wrong\" class=\"wrong\">"), "</p>");
        assert_eq!(wrong.is_some(), said.is_some(), "{email}");
        if let Some(said) = said {
            page.shows(said);
        }
    }
}

#[tokio::test]
async fn a_script_that_stays_is_told_the_path_alone() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    browser.stays = true;
    browser.accept = "*/*";
    let fields = [("email", OWNER), ("password", PASSWORD)];
    let refused = browser.post("/_app/login", &fields).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let path = refused.header("location").to_owned();
    assert_eq!(path, "/login?error=INVALID_CREDENTIALS&form=login#login");
    let page = browser.get(&path).await;
    page.shows("<div role=\"alert\" class=\"note error\"");
    let taken = browser.post("/_app/register", &fields).await;
    assert_eq!(taken.status, StatusCode::OK);
    assert_eq!(taken.header("location"), "/apps");
    browser.get("/apps").await.shows(OWNER);
}

#[tokio::test]
async fn who_tried_too_often_is_led_back_to_the_form() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let sent_from = "https://hato.example/login?next=%2Fapps%2Fapp_1";
    for (referer, form) in [
        (sent_from, "href=\"/login?next=%2Fapps%2Fapp_1\""),
        ("https://evil.example/login", "href=\"/login\""),
    ] {
        let request = Request::post("/_app/login").header("referer", referer);
        let request = request.body(Body::empty()).expect("a request");
        let page = hato_app::error_page(&dashboard.context, request, ErrorCode::RateLimited).await;
        let page = PageResponse::read(page).await;
        page.shows(form)
            .shows("フォームへ戻る")
            .shows("class=\"switch\"");
        page.hides("evil.example");
    }
}

#[tokio::test]
async fn a_plan_without_room_for_an_app_offers_no_form() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    browser.create_app("one").await;
    let page = browser.get("/apps").await;
    page.hides("/_app/create_app")
        .shows("アプリは一つまでです")
        .shows("href=\"/pricing\"");
    let refused = browser.submit("/_app/create_app", &[("name", "two")]).await;
    refused
        .shows(ErrorCode::PlanLimitExceeded.message())
        .hides("アプリは一つまでです");
}
