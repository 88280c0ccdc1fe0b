//! Nothing that was typed is lost: not with the session, and not on its way through a form.

use std::time::Duration;

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{DashboardBrowser, PASSWORD, TestDashboard, id};

const OWNER: &str = "owner@example.com";
const DAY: Duration = Duration::from_hours(24);

/// Ends the session of every browser of the account, from another one.
async fn log_out_everywhere(dashboard: &TestDashboard) {
    let mut other = dashboard.browser();
    let fields = [("email", OWNER), ("password", PASSWORD)];
    other.post("/_app/login", &fields).await;
    let login = other.post("/_app/logout_everywhere", &[]).await.location();
    assert_eq!(login, "/login");
}

/// Logs in where a form has led to; the page that comes after it.
async fn log_in(browser: &mut DashboardBrowser<'_>, login: &str) -> String {
    let page = browser.get(login).await;
    let next = page.between("name=\"next\" value=\"", "\"");
    let next = next.expect("the way on").replace("&amp;", "&");
    let fields = [("email", OWNER), ("password", PASSWORD), ("next", &next)];
    browser.post("/_app/login", &fields).await.location()
}

#[on_each_database]
async fn a_draft_outlives_the_session(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let body = "長い本文\r\n".repeat(200);
    let tomorrow = dashboard.context.service.now().plus(DAY).to_minute();
    let tomorrow = tomorrow.replace(' ', "T");
    let draft = |step: &'static str| {
        [
            ("title", "見出し"),
            ("body", body.as_str()),
            ("url", "https://example.com/"),
            ("users", "u1\nu2"),
            ("tags", "news && !beta"),
            ("send_at", tomorrow.as_str()),
            ("max_per_minute", "600"),
            ("step", step),
            ("idempotency_key", "0123"),
        ]
    };
    log_out_everywhere(&dashboard).await;
    let path = format!("{app}/send");
    for step in ["review", "send"] {
        let page = browser.post(&path, &draft(step)).await;
        assert_eq!(page.status, StatusCode::UNAUTHORIZED);
        assert_eq!(page.header("cache-control"), "no-store");
        page.shows("別のタブでログイン")
            .shows("value=\"見出し\"")
            .shows(&body)
            .shows("value=\"https://example.com/\"")
            .shows("u1\nu2</textarea>")
            .shows("value=\"news &amp;&amp; !beta\"")
            .shows(&format!("value=\"{tomorrow}\""))
            .shows("value=\"600\"")
            .shows(&format!("action=\"{path}\""))
            .shows("name=\"page_lang\"")
            .hides("blog");
    }
    let fields = [("email", OWNER), ("password", PASSWORD)];
    browser.post("/_app/login", &fields).await;
    let question = browser.post(&path, &draft("review")).await;
    question.shows("この内容で送りますか？").shows(&body);
    let history = browser.get(&format!("{app}/history")).await;
    history.hides("見出し");
}

#[tokio::test]
async fn what_was_typed_into_a_form_is_there_after_the_login() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for (form, field, typed) in [
        ("rename_app", "name", "新しい \"名前\""),
        ("create_key", "name", "サーバー"),
        ("set_webhook", "webhook_url", "https://hooks.example/1"),
    ] {
        log_out_everywhere(&dashboard).await;
        let fields = [("app", id(&app)), (field, typed)];
        let login = browser
            .post(&format!("/_app/{form}"), &fields)
            .await
            .location();
        let page = log_in(&mut browser, &login).await;
        assert!(page.starts_with(&app), "{page}");
        let shown = format!("value=\"{}\"", typed.replace('"', "&quot;"));
        let page = browser.get(&page).await;
        page.shows(&shown).shows("まだ送信されていません");
    }
    browser.get(&app).await.shows("blog");
}

#[on_each_database]
async fn removing_a_subscriber_leads_back_to_the_same_list(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in 0..3 {
        browser.subscribe(&app, number).await;
    }
    let list = format!("{app}/subscribers");
    let searched = format!("{list}?q=send&state=active&before=9000000000000");
    let page = browser.get(&searched).await;
    let field = |name: &str| {
        let before = format!("name=\"{name}\" value=\"");
        let value = page.between(&before, "\"").expect("a field");
        value.replace("&amp;", "&")
    };
    let (subscription, query) = (field("subscription"), field("list"));
    let fields = [
        ("app", id(&app)),
        ("subscription", &subscription),
        ("list", &query),
    ];
    let there = browser.post("/_app/remove_subscriber", &fields).await;
    assert_eq!(there.location(), format!("{searched}&done=remove"));
    let again = browser.post("/_app/remove_subscriber", &fields).await;
    let refused = format!(
        "{searched}&error={}&form=remove#remove",
        ErrorCode::NotFound
    );
    assert_eq!(again.location(), refused);
    for query in ["", "/../settings", "?q=1#2", "?q=\r\n"] {
        let plain = [
            ("app", id(&app)),
            ("subscription", "sub_0"),
            ("list", query),
        ];
        let plain = browser.post("/_app/remove_subscriber", &plain).await;
        assert!(plain.location().starts_with(&format!("{list}?error=")));
    }
}

#[tokio::test]
async fn an_empty_first_line_stays() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let draft = |step| [("title", "題"), ("body", "\n二行目"), ("step", step)];
    for step in ["edit", "review"] {
        let page = browser.post(&format!("{app}/send"), &draft(step)).await;
        // A parser drops the first of them.
        page.shows(">\n\n二行目</textarea>");
    }
}
