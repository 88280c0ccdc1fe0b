//! Lists as files.

use std::time::Duration;

use hato_testkit::{TestDatabase, on_each_database};
use http_body_util::BodyExt as _;

use crate::database::Value::Text;
use crate::harness::{OWNER, TestDashboard, id, pass};

/// With what a cell begins that a spreadsheet computes.
const FORMULA_STARTS: [&str; 10] = ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"];

/// The cells of a file, without its heading.
fn cells(file: &str) -> Vec<String> {
    let text = file.strip_prefix('\u{feff}').expect("a byte order mark");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[on_each_database]
async fn no_cell_begins_a_formula(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    browser.subscribe_with_tags(&app, 1, "u1", &["news"]).await;
    browser.send(&app, "便り").await;
    for start in FORMULA_STARTS {
        let text = format!("{start}cmd|' /C calc'!A0");
        for statement in [
            "UPDATE sends SET title = $2, body = $2, url = $2, actor_name = $2 WHERE app_id = $1",
            "UPDATE subscriptions SET platform = $2, user_id = $2, lang = $2, time_zone = $2 WHERE app_id = $1",
        ] {
            let values = [Text(id(&app)), Text(&text)];
            dashboard.execute(statement, &values).await;
        }
        for list in ["history", "subscribers"] {
            let file = browser.get(&format!("{app}/{list}.csv")).await;
            file.assert_success();
            let cells = cells(&file.body);
            let harmless = cells.iter().filter(|cell| **cell == format!("'{text}"));
            assert_eq!(harmless.count(), 4, "{cells:?}");
            let formula = cells
                .iter()
                .find(|cell| FORMULA_STARTS.iter().any(|it| cell.starts_with(it)));
            assert_eq!(formula, None, "in {list}");
        }
    }
}

#[on_each_database]
async fn a_file_holds_what_was_searched_for(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    for number in 0..102 {
        browser.subscribe(&app, number).await;
    }
    browser
        .subscribe_with_tags(&app, 102, "u1", &["news", "ja"])
        .await;
    browser.send(&app, "行\r\n\"引用\", と").await;
    browser.send(&app, "ほか").await;
    let file = browser.get(&format!("{app}/history.csv?q=引用")).await;
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"history.csv\""
    );
    file.shows("id,title,body,url,status,sender,").hides("ほか");
    let found = cells(&file.body);
    assert_eq!(
        (&*found[1], &*found[4], &*found[9]),
        ("行\n\"引用\", と", "queued", "103")
    );
    let all = browser.get(&format!("{app}/subscribers.csv")).await;
    assert_eq!(all.body.lines().count(), 1 + 103);
    let tagged = browser
        .get(&format!("{app}/subscribers.csv?tag=news&state=active"))
        .await;
    let tagged = cells(&tagged.body);
    assert_eq!(tagged.len(), 12, "{tagged:?}");
    assert_eq!(
        (&*tagged[2], &*tagged[3], &*tagged[4]),
        ("push.example", "u1", "ja news")
    );
}

#[tokio::test]
async fn a_file_is_the_owners() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut owner = dashboard.logged_in(OWNER).await;
    let app = owner.create_app("loft").await;
    let mut other = dashboard.logged_in("other@example.com").await;
    let mut stranger = dashboard.browser();
    for list in ["history", "subscribers"] {
        let path = format!("{app}/{list}.csv?q=%E9%B3%A9");
        let refused = other.get(&path).await;
        assert_eq!(refused.status.as_u16(), 404);
        refused.shows("この便は宛先不明です");
        let login = stranger.get(&path).await.location();
        assert!(login.starts_with("/login?next=%2Fapps%2F"), "{login}");
        let long = owner
            .get(&format!("{app}/{list}.csv?q={}", "x".repeat(201)))
            .await;
        assert_eq!(long.status.as_u16(), 400);
    }
}

#[on_each_database]
async fn a_file_breaks_off_with_the_session(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    // One more than are read at a time.
    for number in 0..101 {
        browser.subscribe(&app, number).await;
    }
    let path = format!("{app}/subscribers.csv");
    let mut whole = browser.open(&path).await;
    let mut cut = browser.open(&path).await;
    for file in [&mut whole, &mut cut] {
        let beginning = file.frame().await.expect("a part");
        assert!(beginning.expect("readable").is_data());
    }
    pass(Duration::from_secs(5)).await;
    let rest = whole.frame().await.expect("a part");
    assert!(rest.expect("readable").is_data());
    let login = browser.post("/_app/logout_everywhere", &[]).await;
    assert_eq!(login.location(), "/login");
    assert!(cut.frame().await.expect("an end").is_err());
}
