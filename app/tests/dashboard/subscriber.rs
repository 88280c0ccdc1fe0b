//! One subscriber's page, and several subscribers at once.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::Text;
use crate::harness::{DashboardBrowser, OWNER, PageResponse, TestDashboard, id};

/// The ids of the subscribers of a list.
fn listed(page: &PageResponse) -> Vec<String> {
    let boxes = page.body.split("name=\"subscriptions[]\" value=\"").skip(1);
    let ids = boxes.filter_map(|rest| rest.split('"').next());
    ids.map(str::to_owned).collect()
}

async fn only_subscriber(browser: &mut DashboardBrowser<'_>, app: &str) -> String {
    let list = browser.get(&format!("{app}/subscribers")).await;
    let ids = listed(&list);
    assert_eq!(ids.len(), 1);
    ids[0].clone()
}

#[on_each_database]
async fn a_subscriber_has_a_page_and_gets_a_test(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser
        .subscribe_with_tags(&app, 1, "<u>1", &["news"])
        .await;
    let statement = "UPDATE subscriptions SET platform = $1";
    dashboard
        .execute(statement, &[Text("Chrome Windows")])
        .await;
    let subscriber = only_subscriber(&mut browser, &app).await;
    let list = browser.get(&format!("{app}/subscribers")).await;
    let path = format!("{app}/subscribers/{subscriber}");
    list.shows(&format!("href=\"{path}\">Chrome · Windows<"));
    let page = browser.get(&path).await;
    page.shows("Chrome · Windows")
        .shows(&format!(">{subscriber}</code>"))
        .shows("push.example")
        .shows("?user=%3Cu%3E1\">&lt;u&gt;1<")
        .shows("?tag=news\">news<");
    let fields = [("app", id(&app)), ("subscription", &*subscriber)];
    let sent = browser.submit("/_app/send_test_to", &fields).await;
    sent.shows("Hato からのテスト通知");
    let history = browser.get(&format!("{app}/history.csv")).await;
    history.shows(",queued,").shows(",1,0,0,0,0,0,0,0");
    for unknown in ["sub_none", "nonsense"] {
        let page = browser.get(&format!("{app}/subscribers/{unknown}")).await;
        assert_eq!(page.status.as_u16(), 404, "{unknown}");
    }
}

#[on_each_database]
async fn who_has_left_gets_no_test(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let endpoint = browser.subscribe(&app, 1).await;
    let subscriber = only_subscriber(&mut browser, &app).await;
    let here = [("app", id(&app)), ("endpoint", endpoint.as_str())];
    browser
        .call("unsubscribe_browser", &here)
        .await
        .assert_success();
    let page = browser
        .get(&format!("{app}/subscribers/{subscriber}"))
        .await;
    page.shows("購読解除").hides("send_test_to");
    let fields = [("app", id(&app)), ("subscription", &*subscriber)];
    let refused = browser.submit("/_app/send_test_to", &fields).await;
    refused.shows(ErrorCode::NotFound.message());
}

#[on_each_database]
async fn several_subscribers_are_removed_at_once(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in 0..4 {
        browser.subscribe(&app, number).await;
    }
    let list = format!("{app}/subscribers");
    let ids = listed(&browser.get(&list).await);
    let app_field = [("app", id(&app)), ("list", "?q=send")];
    let ticked = |ids: &[String]| {
        let boxes = ids.iter().map(|id| ("subscriptions[]", id.clone()));
        let own = app_field.map(|(name, value)| (name, value.to_owned()));
        own.into_iter().chain(boxes).collect::<Vec<_>>()
    };
    let many = vec!["sub_1".to_owned(); 101];
    let bad = [ids[0].clone(), "nonsense".to_owned()];
    for (ids, code) in [
        (&many[..], ErrorCode::InvalidInput),
        (&[], ErrorCode::MissingFields),
        (&bad[..], ErrorCode::NotFound),
        (&["sub_1".to_owned()], ErrorCode::NotFound),
    ] {
        let fields = ticked(ids);
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, id)| (*name, id.as_str()))
            .collect();
        let page = browser.submit("/_app/remove_subscribers", &fields).await;
        page.shows(code.message()).shows("4 人");
    }
    let fields = ticked(&ids[1..]);
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, id)| (*name, id.as_str()))
        .collect();
    let page = browser.submit("/_app/remove_subscribers", &fields).await;
    page.shows("3 人の購読者を削除しました")
        .shows("value=\"send\"");
    assert_eq!(listed(&page), ids[..1]);
}
