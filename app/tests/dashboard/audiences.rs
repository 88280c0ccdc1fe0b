//! Writing to a part of the audience: how many that is, before the question and in it.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{DashboardBrowser, OWNER, TestDashboard, id};

/// An app with three subscribers, two of whom have a tag.
async fn tagged_app(browser: &mut DashboardBrowser<'_>) -> String {
    let app = browser.create_app("blog").await;
    browser
        .subscribe_with_tags(&app, 0, "<u>1", &["news", "_plan:pro"])
        .await;
    browser.subscribe_with_tags(&app, 1, "u2", &["news"]).await;
    browser.subscribe(&app, 2).await;
    app
}

fn draft<'a>(users: &'a str, tags: &'a str, step: &'a str) -> [(&'static str, &'a str); 6] {
    [
        ("title", "便り"),
        ("body", "本文"),
        ("users", users),
        ("tags", tags),
        ("step", step),
        ("idempotency_key", "0123"),
    ]
}

#[on_each_database]
async fn the_question_names_the_exact_number(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = tagged_app(&mut browser).await;
    let path = format!("{app}/send");
    for (users, tags, says) in [
        ("", "", "有効な購読者 3 人に、いますぐ送ります"),
        ("", "news", "条件に合う購読者 2 人に、いますぐ送ります"),
        ("", "!news", "条件に合う購読者 1 人に、いますぐ送ります"),
        (
            "<u>1\r\nnobody",
            "",
            "条件に合う購読者 1 人に、いますぐ送ります",
        ),
        ("<u>1", "!news", "条件に合う購読者はいません"),
    ] {
        let question = browser.post(&path, &draft(users, tags, "review")).await;
        question.shows(says);
        let needed = question
            .between("この送信の宛先数は ", " です")
            .expect("the month");
        assert!(says.contains(needed) || needed == "0", "{says} {needed}");
    }
    let question = browser.post(&path, &draft("<u>1", "news", "review")).await;
    question
        .shows("<dd dir=\"auto\">&lt;u&gt;1</dd>")
        .shows("<code>news</code>");
}

#[on_each_database]
async fn what_was_asked_for_is_what_is_sent(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = tagged_app(&mut browser).await;
    let path = format!("{app}/send");
    let question = browser.post(&path, &draft("", "news", "review")).await;
    question.shows("name=\"tags\" hidden>news</textarea>");
    let send = browser
        .post(&path, &draft("", "news", "send"))
        .await
        .location();
    browser
        .get(&send)
        .await
        .shows("2 人宛て")
        .shows("<code>news</code>");
    // The name of a request stands for all of it.
    let other = browser.post(&path, &draft("", "", "send")).await;
    assert_eq!(other.status, StatusCode::CONFLICT);
    other.shows(ErrorCode::IdempotencyConflict.message());

    let mut named = draft("<u>1", "", "send");
    named[5].1 = "4567";
    let send = browser.post(&path, &named).await.location();
    let page = browser.get(&send).await;
    page.shows("1 人宛て")
        .shows("1 人を指定")
        .hides("&lt;u&gt;1");
}

#[on_each_database]
async fn what_is_no_condition_is_sent_to_nobody(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = tagged_app(&mut browser).await;
    let path = format!("{app}/send");
    let many: Vec<String> = (0..1_001).map(|number| format!("u{number}")).collect();
    let many = many.join("\n");
    let bad = [
        ("", "news &&"),
        ("", " "),
        (" \r\n", ""),
        ("", "(((news)"),
        ("", "a b"),
        (&*many, ""),
        ("a\u{1}", ""),
    ];
    for (users, tags) in bad {
        for step in ["review", "send"] {
            let page = browser.post(&path, &draft(users, tags, step)).await;
            assert_eq!(page.status, StatusCode::BAD_REQUEST, "{users:?} {tags:?}");
            let wrong = if tags.is_empty() { "users" } else { "tags" };
            page.names_wrong_fields(&[wrong]).shows("value=\"便り\"");
        }
    }
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("まだ何も送っていません");
}

#[on_each_database]
async fn a_script_learns_how_many_they_are(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = tagged_app(&mut browser).await;
    for (users, tags, says) in [
        ("", "", "有効な購読者 3 人に送ります"),
        ("", "news", "条件に合う購読者 2 人に送ります"),
        ("nobody", "", "条件に合う購読者はいません"),
        ("", "news &", "宛先の条件が正しくありません"),
    ] {
        let fields = [("app", id(&app)), ("users", users), ("tags", tags)];
        let counted = browser.call("count_recipients", &fields).await;
        counted.assert_success().shows(says);
    }
    browser.language = "en";
    let fields = [("app", id(&app)), ("tags", "news")];
    let counted = browser.call("count_recipients", &fields).await;
    counted.shows("It will go to 2 active subscribers who match.");
}
