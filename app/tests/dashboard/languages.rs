//! The language of a page: what the browser prefers, until the visitor chooses Japanese or English.

use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;

use crate::harness::{OWNER, TestDashboard, id};

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

#[tokio::test]
async fn a_draft_and_its_question_are_shown_again_in_the_other_language() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    let form = browser.get(&path).await;
    let switch = "form=\"draft\" formnovalidate name=\"page_lang\" value=\"en\"";
    form.shows("id=\"draft\"").shows(switch);
    let draft = |step| [("title", "便り"), ("body", "本文"), step];
    let question = browser.post(&path, &draft(("step", "review"))).await;
    question.shows("この内容で送りますか").shows(switch);
    let edited = browser.post(&path, &draft(("page_lang", "en"))).await;
    edited
        .shows("<html lang=\"en\"")
        .shows("value=\"便り\"")
        .shows("value=\"review\"");
    let mut asked = draft(("page_lang", "ja")).to_vec();
    asked.push(("idempotency_key", "0123"));
    let question = browser.post(&path, &asked).await;
    question
        .shows("<html lang=\"ja\"")
        .shows("この内容で送りますか");
    browser.language = "en";
    browser.get("/apps").await.shows("<html lang=\"ja\"");
}

#[tokio::test]
async fn a_key_that_is_shown_once_is_shown_in_the_other_language_too() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let fields = [("app", id(&app)), ("name", "site"), ("scope", "notify")];
    let page = browser.submit("/_app/create_key", &fields).await;
    let raw = page.between("id=\"raw-key\">", "<").expect("the raw key");
    let handed = page
        .between("name=\"new_key\" value=\"", "\"")
        .expect("the key for the switch");
    let keys = format!("{app}/keys");
    let switched = [("lang", "en"), ("next", &*keys), ("new_key", handed)];
    let english = browser.submit("/_app/language", &switched).await;
    english.shows("<html lang=\"en\"").shows(raw);
    browser.get(&keys).await.hides(raw);

    let refused = [("app", id(&app)), ("name", " "), ("scope", "full")];
    let refused = browser.post("/_app/create_key", &refused).await.location();
    let page = browser.get(&refused).await;
    let typed = page
        .between("name=\"typed\" value=\"", "\"")
        .expect("what was typed");
    let next = refused.split('#').next().unwrap_or_default();
    let switched = [("lang", "ja"), ("next", next), ("typed", typed)];
    let japanese = browser.submit("/_app/language", &switched).await;
    japanese
        .shows(ErrorCode::MissingFields.message())
        .shows("value=\"full\" checked");
    for bad in ["not base64 at all", "", "%%%"] {
        let switched = [("lang", "ja"), ("next", &*keys), ("new_key", bad)];
        browser
            .submit("/_app/language", &switched)
            .await
            .hides("id=\"raw-key\"");
    }
}
