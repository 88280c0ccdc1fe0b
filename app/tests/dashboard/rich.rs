//! Writing what a notification has beyond title, text and links.

use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{OWNER, TestDashboard, id};

/// Every field of the section, filled in.
const ALL: [(&str, &str); 19] = [
    ("image", "https://example.com/p.png"),
    ("button_1", "追跡 <b>"),
    ("button_1_url", "https://example.com/track"),
    ("button_1_icon", "https://example.com/t.png"),
    ("button_2", "質問"),
    ("button_2_url", "https://example.com/help"),
    ("button_2_icon", ""),
    ("button_3", "返品"),
    ("button_3_url", ""),
    ("button_3_icon", "https://example.com/r.png"),
    ("tag", "order-17"),
    ("renotify", "true"),
    ("require_interaction", "true"),
    ("silent", ""),
    ("data", "{\"order\": 17}"),
    ("dir", "rtl"),
    ("lang", "ja-JP"),
    ("timestamp", "2026-09-21T16:53"),
    ("app_badge", "0"),
];

fn draft<'a>(rich: &[(&'a str, &'a str)], step: &'a str) -> Vec<(&'a str, &'a str)> {
    let others = [
        ("title", "見出し"),
        ("body", "本文"),
        ("idempotency_key", "0123"),
        ("step", step),
    ];
    [&others, rich].concat()
}

#[on_each_database]
async fn the_question_says_all_of_it_and_takes_it_along(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let path = format!("{app}/send");
    let question = browser.post(&path, &draft(&ALL, "review")).await;
    question
        .shows("この内容で送りますか？")
        .shows("<dd dir=\"auto\">追跡 &lt;b&gt;</dd>")
        .shows("<dd dir=\"auto\">https://example.com/t.png</dd>")
        .shows("<dd dir=\"auto\">https://example.com/help</dd>")
        .shows("<dd dir=\"auto\">返品</dd>")
        .shows("<dd dir=\"auto\">order-17</dd>")
        .shows(">2026-09-21 16:53 UTC</time>")
        .shows("<dd dir=\"auto\">{\"order\": 17}</dd>")
        .shows("<dd dir=\"auto\">0</dd>")
        .hides("音と振動なし");
    for (name, value) in ALL {
        let value = value.replace('<', "&lt;").replace('>', "&gt;");
        question.shows(&format!("name=\"{name}\" hidden>{value}</textarea>"));
    }
    let form = browser.post(&path, &draft(&ALL, "edit")).await;
    form.shows("value=\"order-17\"")
        .shows("value=\"rtl\" selected")
        .shows("value=\"0\"");
    let sent = browser.post(&path, &draft(&ALL, "send")).await.location();
    assert!(sent.starts_with(&format!("{app}/sends/snd_")), "{sent}");
    let access = browser.access(&app).await;
    let (_, id) = sent.rsplit_once('/').expect("a send's path");
    let content = dashboard.context.service.sent_content(&access, id).await;
    let payload: Value = serde_json::from_str(&content.expect("a send").payload).expect("JSON");
    let expected = json!([
        {"action": "button-1", "title": "追跡 <b>", "url": "https://example.com/track", "icon": "https://example.com/t.png"},
        {"action": "button-2", "title": "質問", "url": "https://example.com/help"},
        {"action": "button-3", "title": "返品", "icon": "https://example.com/r.png"},
    ]);
    assert_eq!(payload["actions"], expected);
}

#[tokio::test]
async fn the_form_says_what_each_browser_leaves_out() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    browser
        .get(&path)
        .await
        .shows("表示できないブラウザでは、その項目だけが省かれます")
        .shows("ボタンは Chrome と Firefox 152 以降")
        .shows("画像・バッジ・鳴らし直しは Chrome")
        .shows("「操作するまで消さない」は Chrome と Windows の Firefox")
        .shows("Safari ではアイコンと差し替え用の名前も省かれます");
    browser.language = "en";
    browser
        .get(&path)
        .await
        .shows("A browser leaves out what it cannot show")
        .shows("buttons need Chrome or Firefox 152")
        .shows("picture, badge and alerting again need Chrome")
        .shows("staying until clicked needs Chrome, or Firefox on Windows")
        .shows("Safari ignores the icon and the name for replacing");
}

#[tokio::test]
async fn what_no_browser_would_show_leads_back_to_the_form() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(1_024));
    let silent = [("renotify", "true"), ("tag", "t"), ("silent", "true")];
    for (fields, wrong) in [
        (&[("renotify", "true")][..], "tag"),
        (&silent[..], "silent"),
        (&[("button_1_url", "https://example.com/")], "button_1"),
        (&[("button_3_icon", "https://example.com/")], "button_3"),
        (
            &[("button_3", "A"), ("button_3_icon", "data:,")],
            "button_3_icon",
        ),
        (&[("button_1", " "), ("data", "[]")], "data"),
        (&[("data", "{")], "data"),
        (&[("data", &large)], "data"),
        (&[("lang", "no language")], "lang"),
        (&[("timestamp", "yesterday")], "timestamp"),
        (&[("app_badge", "-1")], "app_badge"),
        (&[("image", "http://example.com/")], "image"),
    ] {
        for step in ["review", "send"] {
            let page = browser.post(&path, &draft(fields, step)).await;
            assert_eq!(page.status, StatusCode::BAD_REQUEST, "{fields:?}");
            page.names_wrong_fields(&[wrong]).shows("value=\"見出し\"");
        }
    }
    let page = browser
        .post(&path, &draft(&[("dir", "up")], "review"))
        .await;
    page.shows("このままでは送れません")
        .shows("href=\"#send-dir\"");
    let history = browser.get(&format!("{app}/history")).await;
    history.hides("見出し");
}

#[tokio::test]
async fn what_would_not_fit_as_it_goes_out_is_refused_before_the_question() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/send");
    let long = "x".repeat(1_700);
    let buttons = [("button_1", &*long), ("button_2", &long)];
    let data = format!("{{\"a\":\"{}\"}}", "x".repeat(400));
    let fields = [&buttons[..], &[("data", &*data)]].concat();
    let question = browser.post(&path, &draft(&fields, "review")).await;
    assert_eq!(question.status, StatusCode::OK);
    let settings = [
        ("app", id(&app)),
        ("site_url", "https://example.com/"),
        ("tracking", "counts"),
        ("declarative", "true"),
    ];
    browser.post("/_app/change_messages", &settings).await;
    let refused = browser.post(&path, &draft(&fields, "review")).await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
}
