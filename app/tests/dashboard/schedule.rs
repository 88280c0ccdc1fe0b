//! Sends that wait for their time: how they are asked for, shown, and called off.

use hato_domain::UnixMillis;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;
use std::time::Duration;

use crate::harness::{DashboardBrowser, OWNER, PageResponse, TestDashboard, id};

const HOUR: Duration = Duration::from_hours(1);

/// A minute in so many hours, as forms write it in UTC.
fn in_hours(dashboard: &TestDashboard, hours: u32) -> String {
    let at: UnixMillis = dashboard.context.service.now().plus(HOUR * hours);
    at.to_minute().replace(' ', "T")
}

struct ScheduleFields<'a> {
    send_at: &'a str,
    expires_at: &'a str,
    pace: &'a str,
}

async fn post(
    browser: &mut DashboardBrowser<'_>,
    app: &str,
    times: &ScheduleFields<'_>,
    step: &str,
) -> PageResponse {
    let fields = [
        ("title", "便り"),
        ("body", "本文"),
        ("send_at", times.send_at),
        ("expires_at", times.expires_at),
        ("max_per_minute", times.pace),
        ("step", step),
        ("idempotency_key", "0123"),
    ];
    browser.post(&format!("{app}/send"), &fields).await
}

#[on_each_database]
async fn a_send_is_scheduled_and_called_off(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let (send_at, expires_at) = (in_hours(&dashboard, 20), in_hours(&dashboard, 30));
    let times = ScheduleFields {
        send_at: &send_at,
        expires_at: &expires_at,
        pace: "600",
    };
    let shown = format!(">{} UTC</time>", send_at.replace('T', " "));
    let question = post(&mut browser, &app, &times, "review").await;
    question
        .shows("そのとき有効な購読者の全員に送ります。いまは 1 人です")
        .shows(&shown)
        .shows("1 分あたり最大 600 人")
        .shows("予約する")
        .hides("この送信で");
    let send = post(&mut browser, &app, &times, "send").await.location();
    let page = browser.get(&send).await;
    page.shows("予約済み")
        .shows("そのとき当てはまる購読者に送ります")
        .shows(&shown)
        .shows("1 分あたり最大 600 人")
        .shows("予約を取り消す")
        .hides("data-running");
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("予約済み").shows(&shown);
    let overview = browser.get(&app).await;
    overview.shows(&shown).shows(" に送信の予約があります");

    let (_, send_id) = send.rsplit_once('/').expect("a send's path");
    let fields = [("app", id(&app)), ("send", send_id)];
    let page = browser.submit("/_app/cancel_send", &fields).await;
    page.shows("予約を取り消しました")
        .shows("送る前に取り消したため")
        .hides("予約を取り消す<");
    browser.get(&app).await.hides("送信の予約があります");
}

#[on_each_database]
async fn times_that_cannot_be_are_refused(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let (soon, later) = (in_hours(&dashboard, 1), in_hours(&dashboard, 2));
    let too_late = in_hours(&dashboard, 24 * 366 + 1);
    for (send_at, expires_at, pace, wrong) in [
        ("2020-01-01T00:00", "", "", "send_at"),
        (&*too_late, "", "", "send_at"),
        ("tomorrow", "", "", "send_at"),
        (" ", "", "", "send_at"),
        (&*later, &*soon, "", "expires_at"),
        ("", "2020-01-01T00:00", "", "expires_at"),
        ("", "", "0", "max_per_minute"),
        ("", "", "1.5", "max_per_minute"),
        ("", "", "10000001", "max_per_minute"),
        ("", "", " ", "max_per_minute"),
    ] {
        let times = ScheduleFields {
            send_at,
            expires_at,
            pace,
        };
        for step in ["review", "send"] {
            let page = post(&mut browser, &app, &times, step).await;
            assert_eq!(page.status, StatusCode::BAD_REQUEST, "{send_at} {pace}");
            page.names_wrong_fields(&[wrong]).shows("value=\"便り\"");
        }
    }
    let history = browser.get(&format!("{app}/history")).await;
    history.shows("まだ何も送っていません");
}

#[on_each_database]
async fn the_history_is_narrowed_down_by_status(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    browser.send(&app, "いまの便り").await;
    let send_at = in_hours(&dashboard, 1);
    let times = ScheduleFields {
        send_at: &send_at,
        expires_at: "",
        pace: "",
    };
    let send = post(&mut browser, &app, &times, "send").await.location();
    let list = async |browser: &mut DashboardBrowser<'_>, status: &str| {
        browser.get(&format!("{app}/history?status={status}")).await
    };
    let scheduled = list(&mut browser, "scheduled").await;
    scheduled.shows(&send).hides("いまの便り");
    let queued = list(&mut browser, "queued").await;
    queued.shows("いまの便り").hides(&send);
    let refused = list(&mut browser, "refused").await;
    refused.shows("条件に合う送信は見つかりませんでした");
    list(&mut browser, "nonsense")
        .await
        .shows(&send)
        .shows("いまの便り");

    let due = "UPDATE sends SET waits_until = NULL, status = 'done', finished_at = 1,
                      refused_reason = 'MONTHLY_LIMIT_EXCEEDED' WHERE waits_until IS NOT NULL";
    dashboard.execute(due, &[]).await;
    list(&mut browser, "refused").await.shows(&send);
    browser
        .get(&send)
        .await
        .shows("理由：今月の上限を超えるため")
        .hides("data-running")
        .hides("誰にも届いていません。</p><svg");
}
