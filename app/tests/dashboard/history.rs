//! The history as it is searched.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::{Number, Text};
use crate::harness::{OWNER, TestDashboard, id};

const DAY: Duration = Duration::from_hours(24);

#[on_each_database]
async fn sends_are_found_by_text_status_sender_and_day(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    browser.send(&app, "焼きたてです").await;
    browser.send(&app, "Closing early").await;
    let now = dashboard.context.service.now();
    let (yesterday, tomorrow) = (now.minus(DAY).day(), now.plus(DAY).day());
    let around = format!("from={yesterday}&to={tomorrow}");
    for (query, finds) in [
        ("q=CLOSING".to_owned(), true),
        ("q=closing&status=queued".to_owned(), true),
        ("q=closing&status=done".to_owned(), false),
        ("q=closing&sender=OWNER%40".to_owned(), true),
        ("q=closing&sender=nobody".to_owned(), false),
        (format!("q=closing&{around}"), true),
        (format!("q=closing&to={yesterday}"), false),
        (format!("q=closing&from={tomorrow}"), false),
    ] {
        let page = browser.get(&format!("{app}/history?{query}")).await;
        page.hides("焼きたてです");
        if finds {
            page.shows("Closing early").shows("残り 1");
        } else {
            page.shows("条件に合う送信は見つかりませんでした");
        }
    }
    for query in [
        "from=soon",
        "to=2026-02-30",
        &format!("q={}", "x".repeat(201)),
    ] {
        let page = browser.get(&format!("{app}/history?{query}")).await;
        assert_eq!(page.status.as_u16(), 400, "{query}");
    }
}

#[on_each_database]
async fn a_scheduled_send_is_found_on_the_day_when_it_is_due(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.send(&app, "来月の便り").await;
    let due = dashboard.context.service.now().plus(30 * DAY);
    let statement = "UPDATE sends SET send_at = $1";
    dashboard.execute(statement, &[Number(due.0)]).await;
    let day = due.day();
    let page = browser
        .get(&format!("{app}/history?from={day}&to={day}"))
        .await;
    page.shows("来月の便り");
    let before = due.minus(DAY).day();
    let page = browser.get(&format!("{app}/history?to={before}")).await;
    page.hides("来月の便り");
}

#[on_each_database]
async fn a_day_is_that_of_the_clock_that_the_query_names(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.send(&app, "夜更けの便り").await;
    // The last second of the 30th in Tokyo.
    let sent = UnixMillis::from_date_and_time("2026-01-30T14:59:59").expect("a time");
    let statement = "UPDATE sends SET created_at = $1";
    dashboard.execute(statement, &[Number(sent.0)]).await;
    for (query, finds) in [
        (
            "from=2026-01-30&to=2026-01-30&from_offset=540&to_offset=540",
            true,
        ),
        ("from=2026-01-31&from_offset=540", false),
        ("to=2026-01-29&to_offset=540", false),
        ("to=2026-01-29&to_offset=-840", false),
        ("to=2026-01-29&to_offset=-841", false),
        ("from=2026-01-31&from_offset=541", true),
        ("to=2026-01-30&to_offset=541", false),
        // What no clock shows does not count, and without it days are those of UTC.
        ("from=2026-01-31&from_offset=841", false),
        ("from=2026-01-31&from_offset=soon", false),
        ("from=2026-01-30&to=2026-01-30", true),
        ("from_offset=540", true),
    ] {
        let page = browser.get(&format!("{app}/history?{query}")).await;
        let file = browser.get(&format!("{app}/history.csv?{query}")).await;
        assert_eq!(page.body.contains("夜更けの便り"), finds, "{query}");
        assert_eq!(file.body.contains("夜更けの便り"), finds, "{query}");
    }
    // It stays in the form, which says so, and in what the page leads to.
    let query = "from=2026-01-30&from_offset=540&to=2026-01-31";
    let page = browser.get(&format!("{app}/history?{query}")).await;
    page.shows("name=\"from_offset\" value=\"540\"")
        .shows("name=\"from\" value=\"2026-01-30\"")
        .shows("name=\"to\" value=\"2026-01-31\"")
        .shows("開始日 (<span>UTC+09:00</span>)")
        .shows("終了日 (<span>UTC</span>)")
        .shows(&format!(
            "{app}/history.csv?{}",
            query.replace('&', "&amp;")
        ));
}

/// As many sends as a file has no room for, older than the one that is there.
async fn many_sends(dashboard: &TestDashboard, app: &str) {
    let statement = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10050)
         INSERT INTO sends (id, app_id, title, body, payload, ttl, recipients, status, actor_kind,
                            actor_id, actor_name, created_at)
         SELECT s.id || numbers.n, s.app_id, 'No. ' || numbers.n, s.body, s.payload, s.ttl, 0, 'done', s.actor_kind,
                s.actor_id, s.actor_name, s.created_at - numbers.n
         FROM sends AS s, numbers WHERE s.app_id = $1";
    dashboard.execute(statement, &[Text(id(app))]).await;
}

#[on_each_database]
async fn a_search_looks_at_so_many_sends_and_goes_on_from_there(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.send(&app, "いまの便り").await;
    many_sends(&dashboard, &app).await;
    let mut page = browser.get(&format!("{app}/history?q=No.%2010050")).await;
    page.shows("途中まで調べた結果です").hides(">No. 10050<");
    let mut pages = 1;
    while let Some(older) = page.older_path() {
        page = browser.get(&older).await;
        pages += 1;
    }
    page.shows(">No. 10050<").hides("途中まで調べた結果です");
    assert!(pages >= 3, "{pages}");
    let all = browser.get(&format!("{app}/history.csv")).await;
    assert_eq!(
        all.body.lines().count(),
        1 + 10_000,
        "the heading and so many rows"
    );
    let found = browser
        .get(&format!("{app}/history.csv?q=No.%2010050"))
        .await;
    assert_eq!(found.body.lines().count(), 1 + 1);
}
