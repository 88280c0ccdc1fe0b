//! The way from a page of an app to the same page of another.

use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{OWNER, TestDashboard};

#[on_each_database]
async fn a_page_leads_to_the_same_page_of_the_other_apps(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut stranger = dashboard.logged_in("stranger@example.com").await;
    let strange = stranger.create_app("他人の店").await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let first = browser.create_app("はとパン").await;
    let alone = browser.get(&format!("{first}/keys")).await;
    alone.shows("はとパン").hides("class=\"menu\"");
    let second = browser.create_app("<b>二号店</b>").await;
    let keys = browser.get(&format!("{first}/keys")).await;
    keys.shows(&format!(
        "href=\"{second}/keys\" dir=\"auto\">&lt;b&gt;二号店"
    ))
    .hides(&format!("href=\"{first}/keys\" dir"))
    .hides(&strange);
    let overview = browser.get(&second).await;
    overview.shows(&format!("href=\"{first}\" dir=\"auto\">はとパン"));
    for other in [strange.as_str(), "/apps/app_unknown", "/apps/%20"] {
        let page = browser.get(other).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{other}");
    }
}

#[on_each_database]
async fn it_leads_to_no_more_than_twenty(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let first = browser.create_app("app 0").await;
    for number in 1..=21 {
        browser.create_app(&format!("app {number}")).await;
    }
    let page = browser.get(&first).await;
    let menu = page
        .between("class=\"menu\"", "</details>")
        .expect("a menu");
    assert_eq!(menu.matches("<li>").count(), 20);
    assert!(
        menu.contains(">app 21<") && !menu.contains(">app 1<"),
        "{menu}"
    );
}
