//! What failed, what to do about it, and the way from a send to its failures and back.

use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::database::Value::{Number, Text};
use crate::harness::{OWNER, TestDashboard, id};

/// What to do about the reason, as the page says it.
const ADVICE: &str = "「1 分あたりの最大人数」を指定して";

/// Lets the send's one recipient fail for this reason.
async fn fail(dashboard: &TestDashboard, send: &str, reason: &str) {
    let parts: Vec<&str> = send.split('/').collect();
    let [_, _, app, _, send] = parts[..] else {
        panic!("{send}")
    };
    let letter = "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason,
                                            attempts, created_at)
                  VALUES ($1, $2, 'sub_1', $3, $4, 1, $5)";
    let endpoint = format!("https://push.example/of/{send}");
    let now = dashboard.context.service.now().0;
    let values = [
        Text(send),
        Text(app),
        Text(&endpoint),
        Text(reason),
        Number(now),
    ];
    dashboard.execute(letter, &values).await;
    let tally = "INSERT INTO send_failures (send_id, host, reason, recipients)
                 VALUES ($1, 'push.example', $2, 1)";
    dashboard.execute(tally, &[Text(send), Text(reason)]).await;
    let count = "UPDATE sends SET failed_other = 1 WHERE id = $1";
    dashboard.execute(count, &[Text(send)]).await;
}

#[on_each_database]
async fn a_send_leads_to_its_failures_and_they_lead_back(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let (send, other) = (
        browser.send(&app, "一").await,
        browser.send(&app, "二").await,
    );
    let id_of = |path: &str| path.rsplit('/').next().map(str::to_owned).expect("an id");
    let letters = format!("{app}/dead-letters?send={}", id_of(&send));
    browser.get(&send).await.hides(&letters);
    fail(&dashboard, &send, "throttled").await;
    fail(&dashboard, &other, "mystery").await;
    let pace = format!("href=\"{app}/send#send-max_per_minute\">通知を送る");
    let throttled = browser.get(&send).await;
    throttled.shows(&letters).shows(ADVICE).shows(&pace);
    let unknown = browser.get(&other).await;
    unknown.shows("mystery").hides(ADVICE).hides(&pace);
    let all = browser.get(&format!("{app}/dead-letters")).await;
    all.shows(&id_of(&send)).shows(&id_of(&other)).shows(ADVICE);
    all.shows(&pace);
    let own = browser.get(&letters).await;
    own.shows(&format!("of/{}", id_of(&send)))
        .hides(&format!("of/{}", id_of(&other)))
        .shows(&format!("href=\"{send}\">この送信に戻る"))
        .shows(&format!("href=\"{app}/dead-letters\""));
    let strange = browser.get(&format!("{app}/dead-letters?send=x")).await;
    assert_eq!(strange.status, StatusCode::NOT_FOUND);
    let second = browser.create_app("other").await;
    let elsewhere = format!("{second}/dead-letters?send={}", id_of(&send));
    browser.get(&elsewhere).await.shows("不達はありません");
}

#[on_each_database]
async fn a_failure_leads_to_its_subscriber_until_that_is_removed(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "一").await;
    fail(&dashboard, &send, "throttled").await;
    let own = "UPDATE dead_letters SET subscription_id = (SELECT public_id FROM subscriptions WHERE app_id = $1)";
    dashboard.execute(own, &[Text(id(&app))]).await;
    let (_, send_id) = send.rsplit_once('/').expect("an id");
    let all = format!("{app}/dead-letters");
    let lists = [format!("{all}?send={send_id}"), all.clone()];
    let removed = "この購読者は削除されました";
    let link = format!("href=\"{app}/subscribers/");
    let mut subscriber = String::new();
    for list in &lists {
        let page = browser.get(list).await;
        page.hides(removed);
        let found = page.between(&format!("{link}sub_"), "\"");
        subscriber = format!("sub_{}", found.expect("a subscriber"));
    }
    let path = format!("{app}/subscribers/{subscriber}");
    assert_eq!(browser.get(&path).await.status, StatusCode::OK);
    let fields = [("app", id(&app)), ("subscription", &*subscriber)];
    browser.submit("/_app/remove_subscriber", &fields).await;
    for list in &lists {
        let page = browser.get(list).await;
        page.shows(removed).hides(&format!("{link}sub_"));
    }
}

#[on_each_database]
async fn the_failures_of_a_send_page(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "一").await;
    let send_id = send.rsplit('/').next().expect("an id");
    let many = "INSERT INTO dead_letters (send_id, app_id, subscription_id, endpoint, reason,
                                          attempts, created_at)
                VALUES ($1, $2, 'sub_1', 'https://push.example/1', 'refused', 1, $3)";
    for number in 0..21 {
        let values = [Text(send_id), Text(id(&app)), Number(number)];
        dashboard.execute(many, &values).await;
    }
    let path = format!("{app}/dead-letters?send={send_id}");
    let rows = |page: &str| page.matches("class=\"endpoint\"").count();
    let page = browser.get(&path).await;
    assert_eq!(rows(&page.body), 20);
    let older = page.older_path().expect("an older page");
    assert!(older.starts_with(&path), "{older}");
    assert_eq!(rows(&browser.get(&older).await.body), 1);
}

#[tokio::test]
async fn advice_leads_to_the_field_or_the_page_that_it_names() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    for (reason, below) in [
        ("throttled", "/send#send-max_per_minute"),
        ("out_of_time", "/send#send-ttl"),
        ("key_mismatch", "/keys/vapid"),
    ] {
        let send = browser.send(&app, reason).await;
        fail(&dashboard, &send, reason).await;
        let link = format!("href=\"{app}{below}\"");
        let page = browser.get(&send).await;
        let advice = page.between("hint advice", "</span>").expect("advice");
        assert!(advice.contains(&link), "{advice}");
        let (path, field) = below.split_once('#').unwrap_or((below, ""));
        let page = browser.get(&format!("{app}{path}")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        page.shows(&format!("id=\"{field}"));
    }
}
