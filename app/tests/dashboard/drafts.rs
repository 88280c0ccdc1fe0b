//! Nothing that was typed is lost: not with the session, and not on its way through a form.

use std::time::Duration;

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{DashboardBrowser, PASSWORD, TestDashboard, id};

const OWNER: &str = "owner@example.com";
const DAY: Duration = Duration::from_hours(24);

/// Ends the session of every browser of the account, from another one.
pub async fn log_out_everywhere(dashboard: &TestDashboard) {
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

#[tokio::test]
async fn without_scripts_nothing_is_promised_that_takes_them() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let overview = browser.get(&app).await;
    let state = overview.between("class=\"push-state\">", "</p>");
    let state = state.expect("what is said of the browser");
    assert!(!state.contains("確認しています"), "{state}");
    overview.shows("試すには JavaScript を有効にしてください");

    let path = format!("{app}/send");
    let blank = browser.get(&path).await;
    blank
        .shows("class=\"preview asleep\"")
        .shows("プレビューは確認の画面に表示されます");
    let fields = [("title", "見出し"), ("body", ""), ("step", "edit")];
    let written = browser.post(&path, &fields).await;
    let preview = written.between("class=\"notification-text\">", "</div>");
    let preview = preview.expect("a preview");
    assert!(preview.contains("見出し"), "{preview}");
    assert!(!preview.contains("クロワッサン"), "{preview}");
    written.hides("preview asleep");
}

#[on_each_database]
async fn delivery_options_are_asked_said_and_kept(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let path = format!("{app}/send");
    let draft = |ttl: &'static str, step: &'static str| {
        [
            ("title", "見出し"),
            ("body", "一行目"),
            ("ttl", ttl),
            ("urgency", "high"),
            ("topic", "news"),
            ("step", step),
            ("idempotency_key", "0123"),
        ]
    };
    for ttl in ["-1", "2419201", "soon"] {
        let refused = browser.post(&path, &draft(ttl, "review")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{ttl}");
        refused.names_wrong_fields(&["ttl"]);
    }
    let question = browser.post(&path, &draft("60", "review")).await;
    question.shows("60 秒").shows("高い").shows(">news<");
    let send = browser.post(&path, &draft("60", "send")).await.location();
    let (_, send) = send.rsplit_once('/').expect("a send's path");
    let again = browser.get(&format!("{path}?from={send}")).await;
    again
        .shows("name=\"ttl\" type=\"number\" autocomplete=\"off\" value=\"60\"")
        .shows("<option value=\"high\" selected")
        .shows("value=\"news\"");
}

#[on_each_database]
async fn a_past_send_is_written_again_as_it_was(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser
        .subscribe_with_tags(&app, 1, "reader-one", &["news"])
        .await;
    let path = format!("{app}/send");
    let draft = |users: &'static str, key: &'static str| {
        [
            ("title", "見出し <b>"),
            ("body", "一行目\r\n二行目"),
            ("url", "https://example.com/a"),
            ("icon", "https://example.com/i.png"),
            ("button_1", "読む"),
            ("button_1_url", "https://example.com/b"),
            ("button_2", "あとで"),
            ("button_3", "閉じる"),
            ("button_3_icon", "https://example.com/c.png"),
            ("require_interaction", "true"),
            ("data", "{\"k\":1}"),
            ("tags", "news"),
            ("users", users),
            ("max_per_minute", "600"),
            ("step", "send"),
            ("idempotency_key", key),
        ]
    };
    let sent = browser.post(&path, &draft("", "1")).await.location();
    let again = format!("{path}?from={}", sent.rsplit_once('/').expect("a path").1);
    browser.get(&sent).await.shows(&format!("href=\"{again}\""));
    let page = browser.get(&again).await;
    page.shows("value=\"見出し &lt;b&gt;\"")
        .shows("一行目\n二行目")
        .shows("value=\"https://example.com/a\"")
        .shows("value=\"https://example.com/i.png\"")
        .shows("value=\"読む\"")
        .shows("value=\"https://example.com/b\"")
        .shows("value=\"閉じる\"")
        .shows("value=\"https://example.com/c.png\"")
        .shows("name=\"require_interaction\" value=\"true\" checked")
        .shows("{\"k\":1}")
        .shows("value=\"news\"")
        .shows("value=\"600\"")
        .shows("前の送信から内容をコピーしました");
    let history = browser.get(&format!("{app}/history")).await;
    history.shows(&format!("href=\"{again}\""));

    // Nobody knows the users any more, and it must not go to everybody instead.
    let to_users = browser
        .post(&path, &draft("reader-one", "2"))
        .await
        .location();
    let id = to_users.rsplit_once('/').expect("a path").1;
    let page = browser.get(&format!("{path}?from={id}")).await;
    page.shows("ユーザー ID は残っていない").hides("reader-one");
    let users = page.between("name=\"users\"", "</textarea>");
    let users = users
        .expect("the field")
        .rsplit_once('>')
        .expect("its text");
    assert!(users.1.chars().any(char::is_whitespace), "{users:?}");
    let fields = [
        ("app", crate::harness::id(&app)),
        ("users", users.1),
        ("tags", ""),
    ];
    let counted = browser.call("count_recipients", &fields).await;
    counted.shows("ユーザー ID を入力すると、人数がわかります。");

    let lost = browser.get(&format!("{path}?from=snd_0")).await;
    assert_eq!(lost.status, StatusCode::NOT_FOUND);
    let mut stranger = dashboard.logged_in("other@example.com").await;
    let others = stranger.create_app("other").await;
    let stolen = stranger.get(&format!("{others}/send?from={id}")).await;
    assert_eq!(stolen.status, StatusCode::NOT_FOUND);
}
