//! What recipients did with a send, as its pages show it (CONTRACT 15).

use hato_domain::SendId;
use hato_domain::wire::ReportEngagement;
use hato_service::ports::RecipientId;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{OWNER, TestDashboard, id, secrets};

#[on_each_database]
async fn the_way_of_the_audience_is_shown_where_the_app_counts(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    browser.get(&send).await.hides("id=\"engagement\"");
    browser
        .get(&format!("{app}/history"))
        .await
        .hides(">クリック<");

    let fields = [("app", id(&app)), ("tracking", "counts")];
    browser.submit("/_app/change_messages", &fields).await;
    browser
        .get(&send)
        .await
        .shows("id=\"engagement\" data-live data-counting")
        .shows("aria-label=\"宛先 1、受付済み 0、表示 0、クリック 0\"")
        .shows("<th scope=\"row\">表示</th>");
    browser
        .get(&format!("{app}/history"))
        .await
        .shows(">クリック<");
}

/// So many recipients of the send report this.
async fn report(dashboard: &TestDashboard, send: &str, recipients: i64, event: &str) {
    let service = &dashboard.context.service;
    let (_, send) = send.rsplit_once('/').expect("a send's path");
    let tokens = secrets().engagement_tokens().expect("there are secrets");
    let tokens = tokens.of_send(&SendId::trusted(send.to_owned()), service.now());
    let tokens = tokens.expect("the id has a number");
    for recipient in 1..=recipients {
        service.report_engagement(&ReportEngagement {
            token: tokens.token(RecipientId(recipient)),
            event: Some(event.to_owned()),
            action: Some("button-2".to_owned()),
        });
    }
    service.count_reports().await.expect("counted");
}

#[on_each_database]
async fn what_recipients_did_is_shown_by_send_by_button_and_in_all(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in 0..7 {
        browser.subscribe(&app, number).await;
    }
    browser.get(&app).await.hides("30 日間の表示");
    let fields = [("app", id(&app)), ("tracking", "counts")];
    browser.submit("/_app/change_messages", &fields).await;
    let draft = [
        ("title", "便り"),
        ("body", "本文"),
        ("button_1", "読む"),
        ("button_2", "あとで"),
        ("step", "send"),
        ("idempotency_key", "0123"),
    ];
    let path = format!("{app}/send");
    let send = browser.post(&path, &draft).await.location();
    for (event, recipients) in [("displayed", 6), ("clicked", 4), ("dismissed", 2)] {
        report(&dashboard, &send, recipients, event).await;
    }
    let row = |name: &str, count: i64| {
        format!("<th scope=\"row\">{name}</th><td class=\"number\">{count}</td>")
    };
    browser
        .get(&send)
        .await
        .shows("aria-label=\"宛先 7、受付済み 0、表示 6、クリック 4\"")
        .shows(&row("表示", 6))
        .shows(&row("クリック", 4))
        .shows(&row("閉じた", 2))
        .shows(&row("ボタン「button-2」", 4))
        .hides("ボタン「button-1」");
    browser
        .get(&format!("{app}/history"))
        .await
        .shows("<td data-label=\"表示\" class=\"number\">6</td>")
        .shows("<td data-label=\"クリック\" class=\"number\">4</td>");
    browser
        .get(&app)
        .await
        .shows("<dt>30 日間の表示</dt><dd><b>6</b><span>これまでに 6</span></dd>")
        .shows("<dt>30 日間のクリック</dt><dd><b>4</b><span>これまでに 4</span></dd>");
}
