//! What pages bring up to date by themselves.

use std::time::Duration;

use axum::body::Body;
use hato_domain::wire::Credentials;
use hato_testkit::{TestDatabase, on_each_database};
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::harness::{DashboardBrowser, PASSWORD, TestDashboard, id};

const OWNER: &str = "owner@example.com";

/// Does all of the checklist's steps; the path of the app's page.
async fn begin(browser: &mut DashboardBrowser<'_>) -> String {
    let app = browser.create_app("blog").await;
    let fields = [("app", id(&app)), ("name", "埋め込み")];
    browser.submit("/_app/create_embed_key", &fields).await;
    browser.subscribe(&app, 1).await;
    browser.send(&app, "便り").await;
    app
}

#[on_each_database]
async fn the_last_step_ticks_before_the_eyes_of_whoever_did_it(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = begin(&mut browser).await;
    let refreshed = browser.get(&format!("{app}?refresh=1")).await;
    let ticked = refreshed.body.matches("<li class=\"done\">").count();
    assert_eq!(ticked, 3);
    for part in ["checklist", "figures", "chart"] {
        refreshed.shows(&format!("id=\"{part}\" data-live"));
    }
    browser.get(&app).await.hides("id=\"checklist\"");
}

#[on_each_database]
async fn first_steps_are_not_taken_twice(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = begin(&mut browser).await;
    for (page, button, form) in [
        ("keys", "name=\"key\" value=\"", "delete_key"),
        (
            "subscribers",
            "name=\"subscription\" value=\"",
            "remove_subscriber",
        ),
    ] {
        let list = browser.get(&format!("{app}/{page}")).await;
        let one = list.between(button, "\"").expect("one in the list");
        let name = button.split('"').nth(1).expect("a name");
        let fields = [("app", id(&app)), (name, one)];
        browser.submit(&format!("/_app/{form}"), &fields).await;
    }
    browser.get(&app).await.hides("id=\"checklist\"");
}

#[on_each_database]
async fn events_end_with_the_session(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    let service = &dashboard.context.service;
    let credentials = Credentials {
        email: Some(OWNER.to_owned()),
        password: Some(PASSWORD.to_owned()),
    };
    let (email, password) = credentials.for_login().expect("both");
    let owner = service.log_in(&email, password).await.expect("an account");
    let session = service.start_session(&owner, None).await.expect("made");
    let request = Request::get(format!("{send}/events"))
        .header("cookie", format!("hato_session={session}"))
        .body(Body::empty())
        .expect("a request");
    let router = hato_app::router(dashboard.context.clone());
    let response = router.oneshot(request).await.expect("routers cannot fail");
    assert_eq!(response.status(), StatusCode::OK);
    let mut events = response.into_body();
    let first = events.frame().await.expect("an event").expect("readable");
    assert!(first.is_data());
    service.end_sessions(&owner).await.expect("ended");
    // The send is still under way: left alone, the events would go on for two minutes.
    let rest = timeout(Duration::from_mins(1), events.collect()).await;
    assert!(rest.expect("the end of the events").is_ok());
}

#[on_each_database]
async fn a_send_in_its_retries_says_who_waits_and_until_when(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    for number in 0..3 {
        browser.subscribe(&app, number).await;
    }
    let send = browser.send(&app, "便り").await;
    let waits = "2 人が再送を待っています";
    browser.get(&send).await.shows("data-running").hides(waits);
    // 2100-01-01 12:40 in UTC.
    dashboard.defer(4_102_490_400_000).await;
    let page = browser.get(&send).await;
    page.shows(waits).shows("2100-01-01T12:40");
    let mut events = browser.open(&format!("{send}/events")).await;
    let event = events.frame().await.expect("an event").expect("readable");
    let event = event.into_data().expect("data");
    let event = str::from_utf8(&event).expect("text");
    assert!(event.contains(waits), "{event}");
    browser.language = "en";
    let english = browser.get(&send).await;
    english.shows("2 wait for another attempt, next at");
}

#[tokio::test]
async fn no_time_is_promised_before_a_rate_is_measured() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    browser
        .get(&send)
        .await
        .shows("data-running")
        .hides("残り時間")
        .hides("速さ");
}
