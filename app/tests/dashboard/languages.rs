//! Japanese and English.

use hato_domain::ErrorCode;

use crate::site::Site;

#[tokio::test]
async fn the_browser_chooses_until_the_visitor_does() {
    let site = Site::open().await;
    let mut browser = site.browser();
    browser
        .get("/")
        .await
        .shows("<html lang=\"ja\"")
        .shows("無料で始める");
    browser.speaks = "en-GB,en;q=0.9,ja;q=0.5";
    browser
        .get("/")
        .await
        .shows("<html lang=\"en\"")
        .shows("Start for free");
    let fields = [("lang", "ja"), ("next", "/pricing?a=b")];
    let answer = browser.post("/_app/language", &fields).await;
    assert_eq!(answer.leads_to(), "/pricing?a=b");
    browser
        .get("/pricing")
        .await
        .shows("<html lang=\"ja\"")
        .shows("30,000");
}

#[tokio::test]
async fn the_switch_leads_back_to_this_site_alone() {
    let site = Site::open().await;
    for (lang, next, leads_to) in [
        ("en", "//evil.example/", "/"),
        (
            "xx",
            "/pricing",
            "/?error=INVALID_INPUT&form=language#language",
        ),
    ] {
        let fields = [("lang", lang), ("next", next)];
        let answer = site.browser().post("/_app/language", &fields).await;
        assert_eq!(answer.leads_to(), leads_to);
    }
}

#[tokio::test]
async fn errors_speak_the_language_of_the_page() {
    let site = Site::open().await;
    let mut browser = site.browser();
    browser.speaks = "en";
    let fields = [("email", "nobody"), ("password", "long enough")];
    let page = browser.submit("/_app/register", &fields).await;
    page.shows("That is not an email address.")
        .hides(ErrorCode::InvalidEmail.message());
}
