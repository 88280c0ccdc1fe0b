//! Points in time: in UTC for who runs no scripts, and marked for those that write them in the visitor's own time zone.

use hato_testkit::TestDatabase;

use crate::harness::{OWNER, TestDashboard, id};

/// The attributes and the text of each time on a page.
fn times(body: &str) -> Vec<(&str, &str)> {
    let elements = body.split("<time").skip(1);
    let parts = elements.map(|rest| {
        let element = rest.split("</time>").next().expect("its end");
        element.split_once('>').expect("a text")
    });
    parts.collect()
}

fn attribute<'a>(attributes: &'a str, name: &str) -> &'a str {
    let start = format!("{name}=\"");
    let (_, rest) = attributes.split_once(&*start).expect("the attribute");
    rest.split('"').next().expect("its value")
}

#[tokio::test]
async fn every_time_says_that_it_is_utc_and_can_be_read_by_scripts() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let key = [("app", id(&app)), ("name", "key"), ("scope", "notify")];
    browser.submit("/_app/create_key", &key).await;
    let send = browser.send(&app, "便り").await;
    dashboard.set_operator(OWNER, true).await;
    let hook = [
        ("app", id(&app)),
        ("webhook_url", "https://hooks.example.com/1"),
    ];
    browser.submit("/_app/set_webhook", &hook).await;
    browser.submit("/_app/send_test_event", &hook[..1]).await;
    let event = dashboard.only_event().await;
    let list = browser.get(&format!("{app}/subscribers")).await;
    let subscriber = list.between("name=\"subscriptions[]\" value=\"", "\"");
    let subscriber = subscriber.expect("a subscriber");
    for path in [
        "/apps".to_owned(),
        "/account".to_owned(),
        "/operator".to_owned(),
        send,
        format!("{app}/history"),
        format!("{app}/subscribers"),
        format!("{app}/subscribers/{subscriber}"),
        format!("{app}/keys"),
        format!("{app}/keys/history"),
        format!("{app}/keys/vapid"),
        format!("{app}/webhook?event={event}"),
    ] {
        let page = browser.get(&path).await;
        let times = times(&page.body);
        assert!(!times.is_empty(), "{path}");
        for (attributes, text) in times {
            assert!(text.ends_with(" UTC"), "{path}: {text}");
            assert_eq!(attribute(attributes, "title"), text, "{path}");
            assert!(attribute(attributes, "datetime").ends_with('Z'), "{path}");
            let styles = [
                "minute", "second", "day", "utc-day", "clock", "zoned", "ago",
            ];
            assert!(styles.contains(&attribute(attributes, "data-as")), "{path}");
        }
        page.shows("<script src=\"/pkg/hato-0123456789ab-page.js\"");
    }
}
