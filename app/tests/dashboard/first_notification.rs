//! From an account to the first notification.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{TestDashboard, id};

#[on_each_database]
async fn an_app_is_made_and_listed(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    browser.get("/apps").await.shows("まだ鳩小屋は空です");
    let app = browser.create_app("鳩の <便り>").await;
    browser.get(&app).await.shows("鳩の &lt;便り&gt;");
    browser.get("/apps").await.shows(&format!("href=\"{app}\""));
}

#[on_each_database]
async fn the_plan_limits_apps(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    browser.create_app("one").await;
    let page = browser.submit("/_app/create_app", &[("name", "two")]).await;
    page.shows(ErrorCode::PlanLimitExceeded.message())
        .shows(r#"href="/pricing""#);
}

#[on_each_database]
async fn the_checklist_ticks_itself_and_goes_away(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let steps = |page: &str| page.matches("<li class=\"done\">").count();
    assert_eq!(steps(&browser.get(&app).await.body), 0);
    let fields = [("app", id(&app)), ("name", "埋め込み")];
    browser.post("/_app/create_embed_key", &fields).await;
    assert_eq!(steps(&browser.get(&app).await.body), 1);
    browser.subscribe(&app, 1).await;
    assert_eq!(steps(&browser.get(&app).await.body), 2);
    browser.send(&app, "便り").await;
    browser.get(&app).await.hides("はじめの三歩");
}

#[on_each_database]
async fn a_key_is_shown_once(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    for scope in ["subscribe_only", "notify", "full"] {
        let fields = [("app", id(&app)), ("name", "site"), ("scope", scope)];
        let page = browser.submit("/_app/create_key", &fields).await;
        let raw = page.between("id=\"raw-key\">", "<").expect("the raw key");
        assert_eq!((raw.len(), raw.starts_with("pk_")), (67, true), "{raw}");
        let raw = raw.to_owned();
        let keys = browser.get(&format!("{app}/keys")).await;
        keys.hides(&raw).shows(scope);
    }
}

#[on_each_database]
async fn the_snippets_are_filled_in_once_with_a_key_of_their_own(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let embed = format!("{app}/embed");
    browser.get(&embed).await.shows("appKey: \"pk_…\"");
    let fields = [("app", id(&app)), ("name", "埋め込み")];
    let page = browser.submit("/_app/create_embed_key", &fields).await;
    let key = page.between("appKey: \"", "\"").expect("a key");
    assert_eq!((key.len(), key.starts_with("pk_")), (67, true), "{key}");
    let key = key.to_owned();
    browser.get(&embed).await.hides(&key);
    let keys = browser.get(&format!("{app}/keys")).await;
    keys.shows("埋め込み").shows("subscribe_only").hides(&key);
}

#[tokio::test]
async fn the_snippet_names_this_server() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser
        .get(&format!("{app}/embed"))
        .await
        .shows("importScripts(\"https://hato.example/sdk/sw.js\")")
        .shows("src=\"https://hato.example/sdk/0.1.0/hato.js\"")
        .shows("integrity=\"sha384-page\"")
        .shows("src=\"https://hato.example/sdk/0.1.0/bell.js\"")
        .shows("integrity=\"sha384-bell\"");
}

#[on_each_database]
async fn a_browser_of_the_owner_subscribes_is_tested_and_leaves(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let endpoint = browser.subscribe(&app, 1).await;
    let here = [("app", id(&app)), ("endpoint", endpoint.as_str())];
    browser.call("send_test", &here).await.assert_success();
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("Hato からのテスト通知");
    browser
        .call("unsubscribe_browser", &here)
        .await
        .assert_success();
    let refused = browser.call("send_test", &here).await;
    assert_eq!(refused.body, "\"NOT_FOUND\"");
    let fields = [("app", id(&app)), ("endpoint", "http://insecure.example/")];
    let refused = browser.call("subscribe_browser", &fields).await;
    assert_eq!(refused.body, "\"MISSING_FIELDS\"");
}
