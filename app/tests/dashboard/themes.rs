//! Light and dark: what the visitor's system has, until one of them is chosen.

use hato_testkit::TestDatabase;

use crate::harness::{OWNER, TestDashboard};

#[tokio::test]
async fn the_system_chooses_until_the_visitor_does() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    let page = browser.get("/").await;
    page.shows("data-theme=\"system\"")
        .shows("name=\"color-scheme\" content=\"light dark\"")
        .shows("name=\"theme\" value=\"system\" aria-current=\"true\"");
    for (theme, scheme) in [
        ("dark", "dark"),
        ("light", "light"),
        ("system", "light dark"),
    ] {
        let fields = [("theme", theme), ("next", "/pricing?a=b")];
        let response = browser.post("/_app/theme", &fields).await;
        assert_eq!(response.location(), "/pricing?a=b");
        let page = browser.get("/pricing").await;
        page.shows(&format!("data-theme=\"{theme}\""))
            .shows(&format!("name=\"color-scheme\" content=\"{scheme}\""));
    }
    let fields = [("theme", "neon"), ("next", "/pricing")];
    let response = browser.post("/_app/theme", &fields).await;
    assert_eq!(
        response.location(),
        "/?error=INVALID_INPUT&form=theme#theme"
    );
    let fields = [("theme", "dark"), ("next", "//evil.example/")];
    let response = browser.post("/_app/theme", &fields).await;
    assert_eq!(response.location(), "/");
}

#[tokio::test]
async fn a_draft_and_its_question_are_shown_again_in_other_colours() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    let draft = |step| [("title", "便り"), ("body", "本文"), step];
    let edited = browser.post(&path, &draft(("page_theme", "dark"))).await;
    edited
        .shows("data-theme=\"dark\"")
        .shows("value=\"便り\"")
        .shows("value=\"review\"");
    let mut asked = draft(("page_theme", "light")).to_vec();
    asked.push(("idempotency_key", "0123"));
    let question = browser.post(&path, &asked).await;
    question
        .shows("data-theme=\"light\"")
        .shows("この内容で送りますか");
}
