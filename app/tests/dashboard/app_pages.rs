//! Subscribers, keys and settings of an app.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{TestDashboard, id};

#[on_each_database]
async fn subscribers_are_searched_and_removed(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/subscribers");
    browser.get(&path).await.shows("まだ誰も購読していません");
    for number in 0..26 {
        browser.subscribe(&app, number).await;
    }
    let page = browser.get(&path).await;
    page.shows("/send/25<").shows("/send/1<").hides("/send/0<");
    let older = browser
        .get(&page.older_path().expect("an older page"))
        .await;
    older.shows("/send/0<").hides("/send/1<");
    let found = browser.get(&format!("{path}?q=SEND%2F17")).await;
    found.shows("/send/17").hides("/send/18");
    let none = browser.get(&format!("{path}?state=deactivated")).await;
    none.shows("条件に合う購読者は見つかりませんでした");
    let subscription = found
        .between("name=\"subscription\" value=\"", "\"")
        .expect("an id");
    let fields = [("app", id(&app)), ("subscription", subscription)];
    let page = browser.submit("/_app/remove_subscriber", &fields).await;
    page.shows("購読者を削除しました").shows("25 人");
    let page = browser.submit("/_app/remove_subscriber", &fields).await;
    page.shows(ErrorCode::NotFound.message());
}

#[on_each_database]
async fn a_subscriber_that_left_is_shown_with_its_reason(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let endpoint = browser.subscribe(&app, 1).await;
    let here = [("app", id(&app)), ("endpoint", endpoint.as_str())];
    browser
        .call("unsubscribe_browser", &here)
        .await
        .assert_success();
    let page = browser.get(&format!("{app}/subscribers")).await;
    page.shows("購読解除").shows("0 人");
}

#[on_each_database]
async fn a_browser_that_subscribes_anew_gives_up_its_old_endpoint(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let before = browser.subscribe(&app, 1).await;
    browser.subscribe_in_place_of(&app, 2, &before).await;
    let page = browser.get(&format!("{app}/subscribers")).await;
    page.shows("置き換え：").shows("1 人");
}

#[on_each_database]
async fn what_an_app_says_of_its_messages_is_set_and_refused(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let fields = |site| {
        [
            ("app", id(&app)),
            ("site_url", site),
            ("declarative", "true"),
            ("tracking", "counts"),
        ]
    };
    let chosen = |kind: &str, name: &str, value: &str| {
        format!("type=\"{kind}\" name=\"{name}\" value=\"{value}\" checked")
    };
    let declarative = chosen("checkbox", "declarative", "true");
    for (site, code) in [
        ("", ErrorCode::InvalidInput),
        ("http://blog.example/", ErrorCode::InvalidUrl),
    ] {
        let refused = browser.submit("/_app/change_messages", &fields(site)).await;
        refused
            .shows(code.message())
            .shows(&declarative)
            .shows(&chosen("radio", "tracking", "counts"));
    }
    let page = browser.get(&format!("{app}/settings")).await;
    page.hides(&declarative)
        .shows(&chosen("radio", "tracking", "off"));
    let saved = browser
        .submit("/_app/change_messages", &fields("https://blog.example/"))
        .await;
    saved
        .shows("通知の設定を保存しました")
        .shows("value=\"https://blog.example/\"")
        .shows(&declarative)
        .shows(&chosen("radio", "tracking", "counts"));
    let fields = [("app", id(&app)), ("tracking", "off")];
    let cleared = browser.submit("/_app/change_messages", &fields).await;
    cleared.hides("https://blog.example/").hides(&declarative);
}

#[tokio::test]
async fn a_bad_search_is_refused() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    for query in [format!("q={}", "x".repeat(201)), "before=x".to_owned()] {
        let page = browser.get(&format!("{app}/subscribers?{query}")).await;
        assert_eq!(page.status.as_u16(), 400, "{query}");
    }
}

#[on_each_database]
async fn a_key_is_deleted_and_both_are_recorded(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let fields = [("app", id(&app)), ("name", "注文係"), ("scope", "notify")];
    let page = browser.submit("/_app/create_key", &fields).await;
    let key = page.between("name=\"key\" value=\"", "\"").expect("an id");
    let fields = [("app", id(&app)), ("key", key)];
    let page = browser.submit("/_app/delete_key", &fields).await;
    page.shows("キーを削除しました").hides("注文係");
    let events = browser.get(&format!("{app}/keys/history")).await;
    assert_eq!(events.body.matches(">注文係</b>").count(), 2);
    events.shows("owner@example.com");
    let page = browser.submit("/_app/delete_key", &fields).await;
    page.shows(ErrorCode::NotFound.message());
}

#[on_each_database]
async fn an_app_is_renamed_and_deleted_by_its_name(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let named = |name: &'static str| {
        [
            ("app", app.strip_prefix("/apps/").expect("a path")),
            ("name", name),
        ]
    };
    let page = browser
        .submit("/_app/rename_app", &named(" 鳩の便り "))
        .await;
    page.shows("名前を変更しました").shows("鳩の便り · Hato");
    let page = browser.submit("/_app/rename_app", &named(" ")).await;
    page.shows(ErrorCode::MissingFields.message());
    let page = browser.submit("/_app/delete_app", &named("blog")).await;
    page.shows(ErrorCode::InvalidInput.message());
    let page = browser.submit("/_app/delete_app", &named("鳩の便り")).await;
    page.shows("アプリを削除しました")
        .shows("まだ鳩小屋は空です");
    assert_eq!(browser.get(&app).await.status.as_u16(), 404);
}

#[tokio::test]
async fn nothing_undelivered_is_said_kindly() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let page = browser.get(&format!("{app}/dead-letters")).await;
    page.shows("不達はありません");
}

#[on_each_database]
async fn what_was_not_delivered_is_said_in_the_push_services_words(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "Hello").await;
    let said = "x-wns-notificationstatus: dropped";
    dashboard.fail_sends(id(&app), 10_000, said).await;
    let page = browser.get(&format!("{app}/dead-letters")).await;
    page.shows("受け付けたあとで破棄した").shows(said);
    let all = browser.get(&send).await;
    all.shows("10,000").hides("一覧にはありません");
}

#[on_each_database]
async fn failures_beyond_the_listed_ones_are_said_to_be_counted_only(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "Hello").await;
    dashboard.fail_sends(id(&app), 11_234, "no").await;
    let page = browser.get(&send).await;
    page.shows("11,234").shows("このうち 1,234 人分は多すぎる");
}
