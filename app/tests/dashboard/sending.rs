//! Writing a notification, sending it, and what is seen of it.

use hato_domain::{ErrorCode, Plan};
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;
use url::form_urlencoded::Serializer;

use crate::harness::{OWNER, TestDashboard, id};

#[on_each_database]
async fn a_notification_is_looked_at_before_it_goes(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    for number in 0..2 {
        browser.subscribe(&app, number).await;
    }
    let path = format!("{app}/send");
    browser.get(&path).await.shows("2 人に送ります");
    let fields = [
        ("title", "見出し <b>"),
        ("body", "一行目\r\n二行目"),
        ("url", "https://example.com/a"),
        ("step", "review"),
    ];
    let question = browser.post(&path, &fields).await;
    question
        .shows("この内容で送りますか？")
        .shows("2 人に、いますぐ送ります")
        .shows("見出し &lt;b&gt;")
        .shows("https://example.com/a");
    browser
        .get(&format!("{app}/history"))
        .await
        .shows("まだ何も送っていません");
}

#[on_each_database]
async fn sending_the_question_twice_sends_once(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let path = format!("{app}/send");
    let fields = [
        ("title", "便り"),
        ("body", "本文"),
        ("step", "send"),
        ("idempotency_key", "0123"),
    ];
    let first = browser.post(&path, &fields).await.location();
    assert!(first.starts_with(&format!("{app}/sends/snd_")), "{first}");
    assert_eq!(browser.post(&path, &fields).await.location(), first);
    let page = browser.get(&first).await;
    page.shows("便り").shows("1 人宛て").shows("data-running");
    let apps = browser.get("/apps").await;
    apps.shows("1 / 30,000");
}

#[tokio::test]
async fn a_refused_notification_comes_back_as_it_was() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    let draft = |url: &'static str, step: &'static str| {
        [
            ("title", "見出し"),
            ("body", "一行目"),
            ("url", url),
            ("step", step),
            ("idempotency_key", "0123"),
        ]
    };
    let insecure = "http://insecure.example/";
    for step in ["review", "send"] {
        let page = browser.post(&path, &draft(insecure, step)).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST);
        page.shows(ErrorCode::InvalidUrl.message())
            .shows("value=\"見出し\"")
            .shows("一行目")
            .shows("value=\"http://insecure.example/\"")
            .names_wrong_fields(&["url"]);
    }
    let again = browser.post(&path, &draft("", "edit")).await;
    again.shows("value=\"見出し\"").hides("role=\"alert\"");
    for blank in ["", " "] {
        let fields = [("title", blank), ("body", blank), ("step", "review")];
        let empty = browser.post(&path, &fields).await;
        empty
            .shows(ErrorCode::MissingFields.message())
            .names_wrong_fields(&["title", "body"]);
    }
}

#[tokio::test]
async fn line_ends_count_as_one_byte_escaped_to_two() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let frame = r#"{"title":"t","body":"\n"}"#.len();
    for (bytes, status) in [
        (3_072, StatusCode::OK),
        (3_073, StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let body = format!("{}\r\n", "x".repeat(bytes - frame));
        let fields = [("title", "t"), ("body", &body), ("step", "review")];
        let response = browser.post(&format!("{app}/send"), &fields).await;
        assert_eq!(response.status, status, "{bytes}");
    }
}

#[on_each_database]
async fn the_month_is_limited_and_nothing_is_lost(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    dashboard.exhaust_monthly_limit("owner@example.com").await;
    let fields = [
        ("title", "便り"),
        ("body", "本文"),
        ("step", "send"),
        ("idempotency_key", "0123"),
    ];
    let page = browser.post(&format!("{app}/send"), &fields).await;
    assert_eq!(page.status, StatusCode::TOO_MANY_REQUESTS);
    page.shows(ErrorCode::MonthlyLimitExceeded.message())
        .shows("value=\"便り\"");
    let apps = browser.get("/apps").await;
    apps.shows("30,000 / 30,000").shows("上限に達しました");
}

#[on_each_database]
async fn what_is_left_of_the_month_is_said_before_sending(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in 0..2 {
        browser.subscribe(&app, number).await;
    }
    browser.send(&app, "便り").await;
    let path = format!("{app}/send");
    let draft = [("title", "便り"), ("body", "本文"), ("step", "review")];
    let left = "今月の残りの宛先数は 29,998（上限 30,000）です。";
    browser.get(&path).await.shows(left);
    let question = browser.post(&path, &draft).await;
    question.shows(left).shows("この送信の宛先数は 2 です。");

    dashboard.exhaust_monthly_limit(OWNER).await;
    let over = "今月の残りの宛先数は 0（上限 30,000）です。この送信の宛先数は 2 なので、このままでは送れません。";
    let short = "今月の残りの宛先数は 0（上限 30,000）です。全員に送ると 2 になります。";
    let form = browser.get(&path).await;
    form.shows(short).shows("プランを見る");
    let question = browser.post(&path, &draft).await;
    question.shows(over).shows("プランを見る");
    dashboard.set_plan(OWNER, Plan::Pro).await;
    browser.get(&path).await.hides("今月は").hides("今月の残り");
}

#[on_each_database]
async fn the_history_pages(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    for number in 0..21 {
        browser.send(&app, &format!("便り{number:02}")).await;
    }
    let path = format!("{app}/history");
    let page = browser.get(&path).await;
    page.shows("便り20").shows("便り01").hides("便り00");
    let older = page.older_path().expect("an older page");
    let older = browser.get(&older).await;
    older
        .shows("便り00")
        .hides("便り01")
        .shows(&format!("href=\"{path}\""));
    assert_eq!(older.older_path(), None);
}

#[on_each_database]
async fn a_send_is_cancelled(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    let (_, send_id) = send.rsplit_once('/').expect("a send's path");
    let fields = [("app", id(&app)), ("send", send_id)];
    let page = browser.submit("/_app/cancel_send", &fields).await;
    page.shows("1 人への配信を中止しました")
        .shows("<b>0%</b>")
        .hides("data-running");
    let lost = [("app", id(&app)), ("send", "nonsense")];
    let lost = browser.post("/_app/cancel_send", &lost).await.location();
    assert_eq!(
        lost,
        format!("{app}/history?error=NOT_FOUND&form=cancel#cancel")
    );
}

#[on_each_database]
async fn a_send_to_nobody_says_so(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let send = browser.send(&app, "便り").await;
    for path in [send, format!("{app}/history")] {
        let page = browser.get(&path).await;
        page.shows("<span class=\"status nobody\">宛先なし</span>")
            .hides("status done")
            .hides("100%");
    }
}

#[on_each_database]
async fn events_bring_the_progress_until_it_is_over(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let send = browser.send(&app, "便り").await;
    let events = browser.get(&format!("{send}/events")).await;
    assert_eq!(events.status, StatusCode::OK);
    assert_eq!(events.header("content-type"), "text/event-stream");
    events.shows("data: <section").shows("誰にも届いていません");
    let lost = browser.get(&format!("{app}/sends/snd_0/events")).await;
    assert_eq!(lost.status, StatusCode::NOT_FOUND);
}

#[on_each_database]
async fn the_preview_names_the_site_that_subscribed(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    browser.get(&path).await.shows(">通知を許可したサイト<");
    browser.subscribe(&app, 1).await;
    let sender = "notification-site\">hato.example<";
    browser.get(&path).await.shows(sender);
    let fields = [
        ("title", "見出し"),
        ("body", "一行目"),
        ("url", "https://elsewhere.example/a"),
        ("step", "review"),
    ];
    let question = browser.post(&path, &fields).await;
    question.shows(sender).hides(">elsewhere.example<");
    let send = browser.send(&app, "便り").await;
    browser.get(&send).await.shows(sender);
}

#[on_each_database]
async fn what_is_being_written_goes_to_this_browser_alone(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let endpoint = browser.subscribe(&app, 0).await;
    browser.subscribe(&app, 1).await;
    let draft = |title: &str, url: &str| {
        let fields = [
            ("title", title),
            ("body", "本文"),
            ("url", url),
            ("tags", "nobody-has-it"),
            ("send_at", "2100-01-01T00:00"),
        ];
        Serializer::new(String::new()).extend_pairs(fields).finish()
    };
    let url = "https://example.com/";
    for (title, url, endpoint, status) in [
        ("便り", url, endpoint.as_str(), StatusCode::OK),
        ("", url, &endpoint, StatusCode::BAD_REQUEST),
        (
            "便り",
            "http://a.example",
            &endpoint,
            StatusCode::BAD_REQUEST,
        ),
        ("便り", url, "https://push.example/x", StatusCode::NOT_FOUND),
    ] {
        let draft = draft(title, url);
        let fields = [("app", id(&app)), ("endpoint", endpoint), ("draft", &draft)];
        let answer = browser.call("send_draft_to_me", &fields).await;
        assert_eq!(answer.status, status, "{title} {url} {endpoint}");
    }
    let history = browser.get(&format!("{app}/history")).await;
    let links = history.body.matches("/sends/snd_").count();
    assert_eq!(links, 1, "{}", history.body);
    let send = history.between("/sends/", "\"").expect("the send");
    let page = browser.get(&format!("{app}/sends/{send}")).await;
    page.shows("便り").shows("1 人宛て").shows("data-running");
}
