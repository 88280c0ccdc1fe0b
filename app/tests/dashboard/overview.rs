//! How an app is, day by day.

use std::time::Duration;

use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::{Number, Text};
use crate::harness::{OWNER, TestDashboard, id};

/// Writes down what was sent so many days ago.
async fn sent_ago(dashboard: &TestDashboard, app: &str, ago: i64, sent: i64) -> String {
    let now = dashboard.context.service.now();
    let day = now.day_number() - ago;
    let statement =
        "INSERT INTO daily_counts (app_id, day, sends, sent, failed) VALUES ($1, $2, 1, $3, 1)";
    let values = [Text(id(app)), Number(day), Number(sent)];
    dashboard.execute(statement, &values).await;
    let ago = Duration::from_hours(24 * ago.unsigned_abs());
    now.minus(ago).day()
}

#[on_each_database]
async fn the_chart_tells_of_so_many_days_and_leads_to_each(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.get(&app).await.shows("まだ何も送っていません");
    let mut dates = Vec::new();
    for (ago, sent) in [(3, 1_200), (20, 1_400), (60, 1_600)] {
        dates.push(sent_ago(&dashboard, &app, ago, sent).await);
    }
    let day = |date: &str| format!("href=\"{app}/history?from={date}&amp;to={date}\"");
    for (query, days, seen) in [
        ("?days=7", 7, 1),
        ("", 30, 2),
        ("?days=90", 90, 3),
        ("?days=1000000", 30, 2),
        ("?days=x", 30, 2),
    ] {
        let page = browser.get(&format!("{app}{query}")).await;
        page.shows(&format!("直近 {days} 日間"))
            .shows(&format!("{days} 日間の受付済み"))
            .shows("日付は UTC のもので、各日は");
        assert_eq!(page.body.matches("class=\"tip\"").count(), days, "{query}");
        for (number, date) in dates.iter().enumerate() {
            let link = day(date);
            if number < seen {
                page.shows(&link);
            } else {
                page.hides(&link);
            }
        }
        page.shows("：受付済み 1,200、失敗 1")
            .hides("棒を途中で切って");
    }
}

#[on_each_database]
async fn a_day_that_is_far_larger_than_the_others_is_cut_off(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    sent_ago(&dashboard, &app, 3, 40).await;
    let large = sent_ago(&dashboard, &app, 4, 100_000).await;
    let page = browser.get(&app).await;
    page.shows(&format!("{large} は 100,001 件と多いため"))
        .shows("class=\"break\"");
    let axis = page
        .between("axis-max", "</p>")
        .expect("the end of the axis");
    assert!(axis.ends_with(">50"), "{axis}");
}

#[on_each_database]
async fn subscribers_are_counted_as_they_come_and_go_and_by_what_they_are(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser
        .get(&app)
        .await
        .hides("id=\"growth\"")
        .hides("id=\"devices\"");
    for number in 1..=3 {
        browser.subscribe(&app, number).await;
    }
    let now = dashboard.context.service.now();
    let statement =
        "INSERT INTO daily_subscribers (app_id, day, gained, lost) VALUES ($1, $2, 5, 5)";
    let long_ago = [Text(id(&app)), Number(now.day_number() - 40)];
    dashboard.execute(statement, &long_ago).await;
    let list = browser.get(&format!("{app}/subscribers")).await;
    let one = list.between("name=\"subscription\" value=\"", "\"");
    let fields = [("app", id(&app)), ("subscription", one.expect("an id"))];
    browser.submit("/_app/remove_subscriber", &fields).await;
    let page = browser.get(&app).await;
    page.shows("30 日間に 3 人が加わり、1 人が離れました")
        .shows(&format!("{}：2 人（+3、−1）", now.day()))
        .shows("id=\"devices\"")
        .shows("100 %");
    let page = browser.get(&format!("{app}?days=90")).await;
    page.shows("90 日間に 8 人が加わり、6 人が離れました");
    let refreshed = browser.get(&format!("{app}?refresh=1")).await;
    refreshed.shows("id=\"growth\"").hides("id=\"devices\"");
}
