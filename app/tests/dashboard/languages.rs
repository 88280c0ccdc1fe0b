//! The language of a page: what the browser prefers, until the visitor chooses Japanese or English.

use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;

use crate::harness::TestDashboard;

#[tokio::test]
async fn the_browser_chooses_until_the_visitor_does() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    browser
        .get("/")
        .await
        .shows("<html lang=\"ja\"")
        .shows("無料で始める");
    browser.language = "en-GB,en;q=0.9,ja;q=0.5";
    browser
        .get("/")
        .await
        .shows("<html lang=\"en\"")
        .shows("Start for free");
    let fields = [("lang", "ja"), ("next", "/pricing?a=b")];
    let response = browser.post("/_app/language", &fields).await;
    assert_eq!(response.location(), "/pricing?a=b");
    browser
        .get("/pricing")
        .await
        .shows("<html lang=\"ja\"")
        .shows("30,000");
}

#[tokio::test]
async fn the_switch_leads_back_to_this_site_alone() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    for (lang, next, leads_to) in [
        ("en", "//evil.example/", "/"),
        (
            "xx",
            "/pricing",
            "/?error=INVALID_INPUT&form=language#language",
        ),
    ] {
        let fields = [("lang", lang), ("next", next)];
        let response = dashboard.browser().post("/_app/language", &fields).await;
        assert_eq!(response.location(), leads_to);
    }
}

#[tokio::test]
async fn errors_speak_the_language_of_the_page() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    browser.language = "en";
    let fields = [("email", "nobody"), ("password", "long enough")];
    let page = browser.submit("/_app/register", &fields).await;
    page.shows("That is not an email address.")
        .hides(ErrorCode::InvalidEmail.message());
}
