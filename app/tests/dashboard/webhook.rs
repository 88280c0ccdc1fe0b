//! The page of an app's webhook, with scripts off.

use hato_domain::{ErrorCode, Plan};
use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::Number;
use crate::harness::{OWNER, TestDashboard, id};

const URL: &str = "https://hooks.example.com/1";

#[tokio::test]
async fn on_the_free_plan_it_says_what_it_takes() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let page = format!("{app}/webhook");
    browser.get(&app).await.shows(&format!("href=\"{page}\""));
    browser
        .get(&page)
        .await
        .shows("Webhook は Pro プランで使えます")
        .shows(r#"href="/pricing""#)
        .hides("name=\"webhook_url\"")
        .hides("whsec_");
    let fields = [("app", id(&app)), ("webhook_url", URL)];
    let refused = browser.submit("/_app/set_webhook", &fields).await;
    refused.shows(ErrorCode::PlanRequired.message()).hides(URL);
}

#[on_each_database]
async fn it_is_set_refused_rotated_tested_and_cleared(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    dashboard.set_plan(OWNER, Plan::Pro).await;
    let fields = |url| [("app", id(&app)), ("webhook_url", url)];
    let refused = browser
        .submit("/_app/set_webhook", &fields("http://a.example"))
        .await;
    refused
        .shows(ErrorCode::InvalidUrl.message())
        .shows("value=\"http://a.example\"");
    let page = browser.submit("/_app/set_webhook", &fields(URL)).await;
    page.shows("URL を保存しました").shows(URL);
    let secret = page
        .between("id=\"webhook-secret\">", "<")
        .expect("the secret")
        .to_owned();
    assert!(secret.starts_with("whsec_"), "{secret}");
    page.hides("id=\"previous-secret\"");

    let of_app = [("app", id(&app))];
    let page = browser.submit("/_app/rotate_webhook_secret", &of_app).await;
    assert_eq!(
        page.between("id=\"previous-secret\">", "<"),
        Some(secret.as_str())
    );
    let page = browser.submit("/_app/send_test_event", &of_app).await;
    page.shows("イベントを送信待ちに入れました")
        .shows("data-waiting");

    dashboard.set_plan(OWNER, Plan::Free).await;
    browser
        .get(&format!("{app}/webhook"))
        .await
        .shows("Free プランではイベントを送りません")
        .shows(URL)
        .hides("/_app/send_test_event");
    let page = browser.submit("/_app/clear_webhook", &of_app).await;
    page.shows("URL を消しました").hides("whsec_");
}

#[on_each_database]
async fn disabled_it_says_why_and_can_be_enabled(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let fields = [("app", id(&app)), ("webhook_url", URL)];
    browser.submit("/_app/set_webhook", &fields).await;
    let page = format!("{app}/webhook");
    let off = "<h2>Webhook は止まっています</h2>";
    browser.get(&page).await.hides(off);
    for (reason, why) in [
        ("gone", "受信側が 410 (Gone) を返したため"),
        ("failing", "5 日間一度も成功しなかったため"),
    ] {
        dashboard.disable_webhooks(reason).await;
        browser
            .get(&page)
            .await
            .shows(off)
            .shows(why)
            .shows("/_app/enable_webhook")
            .hides("/_app/send_test_event");
        let fields = [("app", id(&app))];
        let on = browser.submit("/_app/enable_webhook", &fields).await;
        on.shows("Webhook を再開しました").hides(off).hides(why);
    }
}

#[tokio::test]
async fn it_speaks_english_too() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    browser.language = "en";
    let page = browser.get(&format!("{app}/webhook")).await;
    page.shows("Webhooks come with the Pro plan");
}

#[on_each_database]
async fn the_page_of_an_event_says_when_it_happened_and_arrived(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let fields = [("app", id(&app)), ("webhook_url", URL)];
    browser.submit("/_app/set_webhook", &fields).await;
    browser.submit("/_app/send_test_event", &fields[..1]).await;
    let path = format!("{app}/webhook?event={}", dashboard.only_event().await);
    let waits = browser.get(&path).await;
    waits.shows("発生日時").hides("届いた日時");
    assert_eq!(waits.body.matches("<time").count(), 1);
    dashboard.answer_events(500).await;
    let failed = browser.get(&path).await;
    failed.hides("届いた日時");
    assert_eq!(failed.body.matches("<time").count(), 2);
    let second = "UPDATE webhook_attempts SET http_status = 204, started_at = started_at + $1";
    dashboard.execute(second, &[Number(3_000)]).await;
    let arrived = browser.get(&path).await;
    arrived.shows("届いた日時").hides("次に送る日時");
    assert_eq!(arrived.body.matches("<time").count(), 2);
}

#[on_each_database]
async fn what_became_of_a_test_stands_where_it_was_said_to_wait(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let of_app = [("app", id(&app))];
    let fields = [of_app[0], ("webhook_url", URL)];
    browser.submit("/_app/set_webhook", &fields).await;
    let first = browser.post("/_app/send_test_event", &of_app).await;
    let first = first.location();
    browser.get(&first).await.shows("data-waiting");
    dashboard.answer_events(204).await;
    let arrived = browser.get(&first).await;
    arrived
        .shows("イベントが届きました（204）")
        .hides("イベントを送信待ちに入れました")
        .hides("data-waiting");
    let second = browser.post("/_app/send_test_event", &of_app).await;
    let second = second.location();
    browser.get(&second).await.shows("data-waiting");
    dashboard.answer_events(500).await;
    browser
        .get(&second)
        .await
        .shows("イベントは届きませんでした（500）");
}
