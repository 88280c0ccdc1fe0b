//! What recipients did with a send, as its pages show it (CONTRACT 15).

use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{TestDashboard, id};

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
