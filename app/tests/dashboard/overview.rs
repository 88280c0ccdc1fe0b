//! How an app is, day by day.

use std::time::Duration;

use hato_domain::{TimeZoneOffsets, UnixMillis};
use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::{Number, Text};
use crate::harness::{OWNER, TestDashboard, id};

/// Writes down that so many were reached, and one was not, at a moment.
async fn sent_at(dashboard: &TestDashboard, app: &str, at: UnixMillis, sent: i64) {
    let statement = "INSERT INTO recent_counts
                       (app_id, quarter, sent, failed, displayed, clicked, dismissed)
                     VALUES ($1, $2, $3, 1, 0, 0, 0)";
    let values = [Text(id(app)), Number(at.quarter_number()), Number(sent)];
    dashboard.execute(statement, &values).await;
}

/// Writes down what was sent so many days ago, and resolves with that day.
async fn sent_ago(dashboard: &TestDashboard, app: &str, ago: u64, sent: i64) -> String {
    let at = dashboard.context.service.now();
    let at = at.minus(Duration::from_hours(24 * ago));
    sent_at(dashboard, app, at, sent).await;
    at.day()
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
    let day = |date: &str| {
        let query = format!("from={date}&amp;from_offset=0&amp;to={date}&amp;to_offset=0");
        format!("href=\"{app}/history?{query}\"")
    };
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
    page.shows(&format!("{large} は 100,001 人と多いため"))
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
        "INSERT INTO recent_subscribers (app_id, quarter, gained, lost) VALUES ($1, $2, 5, 5)";
    let long_ago = now.minus(Duration::from_hours(40 * 24));
    let values = [Text(id(&app)), Number(long_ago.quarter_number())];
    dashboard.execute(statement, &values).await;
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

/// The cookie with which a browser's script tells of its clock.
const OFFSETS: &str = "hato_offsets";

#[on_each_database]
async fn days_are_those_of_the_visitors_clock(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let sent = browser.send(&app, "便り").await;
    let tokyo = TimeZoneOffsets::parse("540").expect("offsets");
    let now = dashboard.context.service.now();
    let yesterday = tokyo.day(tokyo.day_number(now) - 1);
    let last_moment = yesterday.ends_at.minus(Duration::from_millis(1));
    sent_at(&dashboard, &app, last_moment, 40).await;
    sent_at(&dashboard, &app, yesterday.ends_at, 50).await;
    let statement = "UPDATE sends SET created_at = $1 WHERE app_id = $2";
    let moved = [Number(last_moment.0), Text(id(&app))];
    dashboard.execute(statement, &moved).await;

    browser.keep_cookie(OFFSETS, "540");
    let page = browser.get(&format!("{app}?days=7")).await;
    let (date, today) = (yesterday.date(), tokyo.day(yesterday.number + 1).date());
    page.shows(&format!("{date}：受付済み 40、失敗 1"))
        .shows(&format!("{today}：受付済み 50、失敗 1"))
        .hides("日付は UTC のもの");
    let link = format!("{app}/history?from={date}&from_offset=540&to={date}&to_offset=540");
    page.shows(&link.replace('&', "&amp;"));
    let found = browser.get(&link).await;
    found.shows(&sent).shows("UTC+09:00");
    let next = link.replace(&date, &today);
    browser.get(&next).await.hides(&sent);
}

#[on_each_database]
async fn days_are_those_of_utc_where_no_clock_is_told(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let date = sent_ago(&dashboard, &app, 1, 40).await;
    for offsets in ["", "tokyo", "541", "540:1", "99999999999999999999"] {
        browser.keep_cookie(OFFSETS, offsets);
        let page = browser.get(&app).await;
        page.shows(&format!("{date}：受付済み 40、失敗 1"))
            .shows("日付は UTC のもので、各日は");
    }
}
