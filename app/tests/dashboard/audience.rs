//! Who subscribes: the list by user, tag and push service, and how many the last send has reached.

use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{OWNER, TestDashboard};

#[on_each_database]
async fn subscribers_are_found_by_user_tag_and_push_service(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in [0, 2] {
        browser.subscribe(&app, number).await;
    }
    let tags = ["news", "_plan:pro"];
    browser.subscribe_with_tags(&app, 1, "<u>1", &tags).await;
    let path = format!("{app}/subscribers");
    let all = browser.get(&path).await;
    all.shows("&lt;u&gt;1<")
        .shows("_plan:pro, news")
        .shows("/send/2<");
    for query in [
        "user=%3Cu%3E1",
        "tag=news",
        "tag=news&state=active&user=%3Cu%3E1",
    ] {
        let page = browser.get(&format!("{path}?{query}")).await;
        page.shows("/send/1<").hides("/send/0<").hides("/send/2<");
    }
    let here = browser.get(&format!("{path}?host=PUSH.exam")).await;
    here.shows("/send/0<").shows("value=\"PUSH.exam\"");
    let elsewhere = browser.get(&format!("{path}?host=nowhere.example")).await;
    elsewhere.shows("条件に合う購読者は見つかりませんでした");
    for bad in ["tag=a%20b", "user=%01", "before_id=sub_1"] {
        let page = browser.get(&format!("{path}?{bad}")).await;
        assert_eq!(page.status.as_u16(), 400, "{bad}");
    }
}

#[on_each_database]
async fn the_reach_of_an_app_is_shown(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let path = format!("{app}/audience");
    browser.get(&path).await.shows("まだ誰も購読していません");
    for number in 0..3 {
        browser.subscribe(&app, number).await;
    }
    // On day 1 the positions 1 and 2 took a send, and 2 has missed the last one.
    let known = if dashboard.database.is_postgres() {
        "INSERT INTO reach (app_id, block, answers)
         SELECT id, 0, '\\x01000000040001000200ffffffff02000200' FROM apps"
    } else {
        "INSERT INTO reach (app_id, block, answers)
         SELECT id, 0, x'01000000040001000200ffffffff02000200' FROM apps"
    };
    dashboard.execute(known, &[]).await;
    let page = browser.get(&path).await;
    page.shows("有効な購読者 3 人のうち、最後の送信が受付済みなのは 1 人です")
        .shows("push.example");
    let hosts = page.between("audience-hosts", "</table>").expect("a table");
    assert!(
        hosts.contains("受付済み") && hosts.contains("33 %"),
        "{hosts}"
    );
    let list = browser.get(&format!("{app}/subscribers")).await;
    list.shows("title=\"1970-01-02 UTC\" data-as=\"utc-day\"");
}
