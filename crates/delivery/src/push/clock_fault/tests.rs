use bytes::Bytes;
use hato_domain::UnixMillis;
use http::header::DATE;
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::time::advance;

use super::{ClockFault, MAX_DOUBT};
use crate::push::clock_reading::NOTICED;
use crate::push::response::PushResponse;

/// 2026-01-01T00:00:00Z, by which the push service refuses.
const THEIRS: UnixMillis = UnixMillis(1_767_225_600_000);
const DAY_MILLIS: i64 = 86_400_000;

fn refusal() -> PushResponse {
    let date = HeaderValue::from_static("Thu, 01 Jan 2026 00:00:00 GMT");
    PushResponse {
        status: StatusCode::FORBIDDEN,
        headers: HeaderMap::from_iter([(DATE, date)]),
        body: Bytes::new(),
    }
}

/// Whether a push that is refused now fails for a clock that is so far ahead.
fn is_cause(fault: &ClockFault, lead_millis: i64) -> bool {
    let now = UnixMillis(THEIRS.0 + lead_millis);
    fault.is_cause(&refusal(), fault.read(now))
}

#[tokio::test(start_paused = true)]
async fn a_clock_by_which_nobody_takes_anything_is_doubted_for_a_day() {
    let fault = ClockFault::new();
    assert!(!is_cause(&fault, DAY_MILLIS / 2 - 1), "a token is good");
    assert!(is_cause(&fault, DAY_MILLIS));
    advance(MAX_DOUBT / 2).await;
    assert!(is_cause(&fault, DAY_MILLIS * 3 / 2), "of the same clock");
    advance(MAX_DOUBT / 2).await;
    assert!(!is_cause(&fault, DAY_MILLIS * 2));
    assert!(is_cause(&fault, DAY_MILLIS), "it was set");
}

#[tokio::test(start_paused = true)]
async fn who_takes_a_message_has_the_last_word_until_the_clock_is_set() {
    let fault = ClockFault::new();
    assert!(is_cause(&fault, DAY_MILLIS));
    fault.prove(fault.read(UnixMillis(THEIRS.0 + DAY_MILLIS)));
    assert!(!is_cause(&fault, DAY_MILLIS));
    let hour = i64::try_from(NOTICED.as_millis()).expect("an hour");
    assert!(!is_cause(&fault, DAY_MILLIS + hour - 1));
    assert!(is_cause(&fault, DAY_MILLIS + hour));
    assert!(is_cause(&fault, DAY_MILLIS - hour));
}
