//! What each response leads to.

use std::time::Duration;

use bytes::Bytes;
use hato_domain::{Endpoint, FailureDetail, FailureReason, UnixMillis};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::{PushOutcome, PushResponse, StatusClass, classify};
use crate::push::origin::PushTarget;

/// 2026-01-01T00:00:00Z, when the responses arrive.
const NOW: UnixMillis = UnixMillis(1_767_225_600_000);
const ANYBODY: &str = "https://push.example.com/x";
const WINDOWS: &str = "https://wns2-am3p.notify.windows.com/w/?token=x";

fn response(status: u16) -> PushResponse {
    PushResponse {
        status: StatusCode::from_u16(status).expect("a status"),
        headers: HeaderMap::new(),
        body: Bytes::new(),
    }
}

fn with_header(status: u16, name: &'static str, value: &'static str) -> PushResponse {
    let header = (
        HeaderName::from_static(name),
        HeaderValue::from_static(value),
    );
    PushResponse {
        headers: HeaderMap::from_iter([header]),
        ..response(status)
    }
}

fn target(endpoint: &str) -> PushTarget {
    let endpoint = Endpoint::parse(endpoint).expect("an endpoint");
    PushTarget::from_endpoint(&endpoint).expect("a target")
}

fn outcome(response: &PushResponse, endpoint: &str) -> PushOutcome {
    classify(response, &target(endpoint), NOW)
}

fn retry(reason: FailureReason, status: u16) -> PushOutcome {
    PushOutcome::Retry {
        reason,
        status: Some(status),
        after: None,
        detail: None,
    }
}

fn failed(reason: FailureReason, status: u16) -> PushOutcome {
    PushOutcome::Failed {
        reason,
        status: Some(status),
        detail: None,
    }
}

#[test]
fn every_status_has_its_outcome() {
    for status in 100..=599 {
        let expected = match status {
            200 | 201 | 202 | 204 => PushOutcome::Sent { status },
            404 | 410 => PushOutcome::Expired { status },
            429 => retry(FailureReason::Throttled, 429),
            500.. => retry(FailureReason::Unavailable, status),
            _ => failed(FailureReason::Refused, status),
        };
        assert_eq!(outcome(&response(status), ANYBODY), expected, "{status}");
        if status != 406 {
            assert_eq!(outcome(&response(status), WINDOWS), expected, "{status}");
        }
    }
}

#[test]
fn who_asks_for_less_is_overloaded_or_throttles() {
    let throttling = |endpoint| {
        let origin = target(endpoint).origin;
        let throttling = (100..=599).filter(|status| {
            StatusClass::from_response(&response(*status), &origin).is_throttling()
        });
        throttling.collect::<Vec<_>>()
    };
    assert_eq!(throttling(ANYBODY), [429, 503]);
    assert_eq!(throttling(WINDOWS), [406, 429, 503]);
}

#[test]
fn a_throttled_push_waits_as_long_as_it_is_asked_to() {
    for (status, endpoint) in [(429, ANYBODY), (406, WINDOWS)] {
        let expected = PushOutcome::Retry {
            reason: FailureReason::Throttled,
            status: Some(status),
            after: Some(Duration::from_mins(2)),
            detail: None,
        };
        let response = with_header(status, "retry-after", "120");
        assert_eq!(outcome(&response, endpoint), expected);
    }
}

#[test]
fn what_microsoft_dropped_was_not_sent() {
    for (status, value) in [(201, "dropped"), (200, "Dropped"), (203, "DROPPED")] {
        let response = with_header(status, "x-wns-notificationstatus", value);
        let said = format!("x-wns-notificationstatus: {value}");
        let dropped = PushOutcome::Failed {
            reason: FailureReason::Dropped,
            status: Some(status),
            detail: FailureDetail::from_text(&said),
        };
        assert_eq!(outcome(&response, WINDOWS), dropped);
        let elsewhere = StatusClass::from_response(&response, &target(ANYBODY).origin);
        assert_ne!(elsewhere, StatusClass::Dropped);
    }
    let received = with_header(201, "x-wns-notificationstatus", "received");
    let sent = PushOutcome::Sent { status: 201 };
    assert_eq!(outcome(&received, WINDOWS), sent);
}

#[test]
fn another_vapid_key_is_told_apart_from_other_refusals() {
    let reason_of = |response: &PushResponse| match outcome(response, ANYBODY) {
        PushOutcome::Failed { reason, .. } => Some(reason),
        _ => None,
    };
    for (status, body) in [
        (400, r#"{"reason":"VapidPkHashMismatch"}"#),
        (403, r#"{"reason":"VapidPkHashMismatch"}"#),
        (
            401,
            r#"{"errno":109,"message":"VAPID public key mismatch"}"#,
        ),
    ] {
        let response = PushResponse {
            body: Bytes::from_static(body.as_bytes()),
            ..response(status)
        };
        let mismatch = Some(FailureReason::KeyMismatch);
        assert_eq!(reason_of(&response), mismatch, "{body}");
    }
    let windows = with_header(403, "x-wns-error-description", "VapidPkHashMismatch");
    assert_eq!(reason_of(&windows), Some(FailureReason::KeyMismatch));
}

#[test]
fn a_gone_subscription_is_gone_whatever_the_body_says() {
    let response = PushResponse {
        body: Bytes::from_static(b"VapidPkHashMismatch"),
        ..response(410)
    };
    let gone = PushOutcome::Expired { status: 410 };
    assert_eq!(outcome(&response, ANYBODY), gone);
}
