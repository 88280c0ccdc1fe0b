//! What strangers wrote stays text, on every page and in every field.

use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{DashboardBrowser, OWNER, TestDashboard, id};

/// Ends whatever element or attribute it stands in, and begins an element that nobody else writes.
const HOSTILE: &str = r#"</title></textarea></script>'"><hato-injected a="b">&lt;"#;

/// The beginning of that element, as no page may contain it.
const INJECTED: &str = "<hato-injected";

/// The same where it is text.
const ESCAPED: &str = "&lt;hato-injected";

async fn assert_text(browser: &mut DashboardBrowser<'_>, path: &str) -> String {
    let page = browser.get(path).await;
    assert!(!page.body.contains(INJECTED), "{path}:\n{}", page.body);
    page.body
}

/// Text of the title's element.
fn title(body: &str) -> &str {
    let (_, rest) = body.split_once("<title>").expect("a title");
    rest.split_once("</title>").expect("its end").0
}

/// An app whose every field that somebody else can write is hostile; its path, and that of its send.
async fn hostile_app(
    dashboard: &TestDashboard,
    browser: &mut DashboardBrowser<'_>,
) -> (String, String) {
    let app = browser.create_app(HOSTILE).await;
    browser.subscribe(&app, 1).await;
    let key = [("app", id(&app)), ("name", HOSTILE), ("scope", "notify")];
    browser.submit("/_app/create_key", &key).await;
    let url = "https://hooks.example.com/1";
    let webhook = [("app", id(&app)), ("webhook_url", url)];
    browser.submit("/_app/set_webhook", &webhook).await;
    let test = [("app", id(&app))];
    browser.submit("/_app/send_test_event", &test).await;
    let send = browser.send(&app, HOSTILE).await;
    dashboard.write_everywhere(id(&app), HOSTILE).await;
    (app, send)
}

#[on_each_database]
async fn no_name_rewrites_a_page(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    browser.user_agent = HOSTILE;
    let (app, send) = hostile_app(&dashboard, &mut browser).await;
    let event = dashboard.only_event().await;
    let body = assert_text(&mut browser, &app).await;
    assert!(title(&body).contains(ESCAPED), "{}", title(&body));
    let body = assert_text(&mut browser, &send).await;
    assert!(title(&body).contains(ESCAPED), "{}", title(&body));
    for shown in [
        "history",
        "subscribers",
        "keys",
        "keys/history",
        "keys/vapid",
        "dead-letters",
        "webhook",
        "settings",
    ] {
        let body = assert_text(&mut browser, &format!("{app}/{shown}")).await;
        assert!(body.contains(ESCAPED), "{shown}:\n{body}");
    }
    for path in [
        "/apps".to_owned(),
        "/account".to_owned(),
        "/docs/api".to_owned(),
        "/pricing".to_owned(),
        "/".to_owned(),
        format!("{app}/send"),
        format!("{app}/webhook?event={event}"),
    ] {
        assert_text(&mut browser, &path).await;
    }
}

#[tokio::test]
async fn no_draft_and_no_address_rewrites_a_page() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for step in ["edit", "review", "send"] {
        let fields = [
            "title",
            "body",
            "url",
            "icon",
            "badge",
            "image",
            "button_1",
            "button_1_url",
            "button_1_icon",
            "button_2",
            "button_2_url",
            "button_2_icon",
            "button_3",
            "button_3_url",
            "button_3_icon",
            "tag",
            "renotify",
            "data",
            "dir",
            "lang",
            "timestamp",
            "app_badge",
            "users",
            "tags",
            "send_at",
            "expires_at",
            "max_per_minute",
            "idempotency_key",
        ];
        let mut draft = fields.map(|name| (name, HOSTILE)).to_vec();
        draft.push(("step", step));
        let page = browser.post(&format!("{app}/send"), &draft).await;
        page.hides(INJECTED).shows(ESCAPED);
    }
    let hostile: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let names = [
        "error",
        "form",
        "next",
        "q",
        "state",
        "event",
        "before",
        "before_id",
        "done",
        "name",
        "email",
    ];
    for path in [
        "/",
        "/login",
        "/register",
        "/apps",
        "/account",
        &app,
        &format!("{app}/subscribers"),
    ] {
        for name in names {
            assert_text(&mut browser, &format!("{path}?{name}={hostile}")).await;
        }
    }
    for path in [format!("/apps/{hostile}"), format!("/{hostile}")] {
        assert_text(&mut browser, &path).await;
    }
    let mut stranger = dashboard.browser();
    for name in names {
        assert_text(&mut stranger, &format!("/login?{name}={hostile}")).await;
    }
}
