//! When to send, as people write it, in the time zone of the machine.

use std::time::{SystemTime, UNIX_EPOCH};

use hato_domain::UnixMillis;

use crate::setup::CliSetup;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Milliseconds of Unix time.
#[expect(
    clippy::disallowed_methods,
    reason = "the command line goes by the machine's clock"
)]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.expect("it is later than 1970").as_millis();
    i64::try_from(since).expect("it is long before the end")
}

/// Tomorrow's day, counted from 1970-01-01, where clocks are so many hours ahead of UTC now.
fn tomorrow(hours: i64) -> i64 {
    (now() + hours * HOUR).div_euclid(DAY) + 1
}

/// The day in its year, from 0 on, leap days counted: as a time zone's rule names it.
fn day_of_year(day: i64) -> i64 {
    let first = |day: i64| UnixMillis::from_day_number(day).day().ends_with("-01-01");
    (0..366)
        .find(|passed| first(day - passed))
        .expect("a year has a first day")
}

#[tokio::test]
async fn tomorrow_at_nine_is_nine_o_clock_when_the_clocks_change_before() {
    let setup = CliSetup::new().await;
    // Daylight saving time is an hour ahead of UTC, begins or ends tomorrow at 2, and changes back half a year later.
    for (begins, before, after) in [(true, 0, 1), (false, 1, 0)] {
        let change = day_of_year(tomorrow(before));
        let (change, back) = (format!("{change}/2"), format!("{}/2", (change + 180) % 360));
        let zone = if begins {
            format!("STD0DST,{change},{back}")
        } else {
            format!("STD0DST,{back},{change}")
        };
        let line = ["notify", "a", "b", "--at", "tomorrow 9:00"];
        let nine = || tomorrow(before) * DAY + (9 - after) * HOUR;
        let earliest = nine();
        let report = setup
            .with_key("full", &line)
            .await
            .env("TZ", &zone)
            .json()
            .await;
        let at = report["send_at"].as_i64().expect("a time");
        assert!([earliest, nine()].contains(&at), "{zone}: {at}, {earliest}");
    }
}

#[tokio::test]
async fn a_time_an_end_and_a_pace_are_those_of_the_send() {
    let setup = CliSetup::new().await;
    let line = [
        "notify",
        "a",
        "b",
        "--at",
        "tomorrow 9:00",
        "--expires",
        "tomorrow 12:00",
        "--per-minute",
        "600",
    ];
    let scheduling = setup.with_key("full", &line).await.env("TZ", "UTC");
    let at = scheduling.json().await["send_at"].as_i64().expect("a time");
    let history = setup.with_key("full", &["history"]).await.json().await;
    let item = &history["items"][0];
    assert_eq!(item["send_at"], at);
    assert_eq!(item["expires_at"], at + 3 * HOUR);
    assert_eq!(item["max_per_minute"], 600);
}
