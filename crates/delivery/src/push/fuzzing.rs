//! Targets of `make fuzz`: what push services answer.

use bytes::Bytes;
use hato_domain::{Endpoint, FailureDetail, UnixMillis};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::origin::PushTarget;
use super::response::{PushOutcome, PushResponse, StatusClass, classify, refused_time};

pub use super::pool::http_peer;

/// 2026-01-01T00:00:00Z, when the responses arrive.
const NOW: UnixMillis = UnixMillis(1_767_225_600_000);
/// The part of the endpoints that nobody is told.
const SECRET: &str = "SECRETPATH0";
/// Most characters of a detail (CONTRACT 4).
const MAX_DETAIL: usize = 300;

/// Any response of a push service has one meaning, and what is kept of it is short and names nobody. The first two bytes make the
/// status; headers follow line by line, and after an empty line the body.
pub fn push_response(data: &[u8]) {
    judge(data, "https://push.example/", "");
}

/// The same for Microsoft's push service: what stands before a colon is the end of a header's name behind `x-wns-`.
pub fn wns_response(data: &[u8]) {
    judge(data, "https://wns2-x.notify.windows.com/w/", "x-wns-");
}

fn judge(data: &[u8], service: &str, prefix: &str) {
    let Some(response) = response(data, prefix) else {
        return;
    };
    let endpoint = Endpoint::trusted(format!("{service}{SECRET}?token={SECRET}"));
    let target = PushTarget::from_endpoint(&endpoint).expect("a target");
    let status = response.status.as_u16();
    let class = StatusClass::from_response(&response, &target.origin);
    if let Some(theirs) = refused_time(&response, NOW) {
        assert!([401, 403].contains(&status) && theirs != NOW);
    }
    let detail = match classify(&response, &target, NOW) {
        PushOutcome::Sent { status: said } => {
            assert!([200, 201, 202, 204].contains(&status) && said == status);
            assert!(!class.is_throttling());
            None
        }
        PushOutcome::Expired { status: said } => {
            assert!([404, 410].contains(&status) && said == status);
            None
        }
        PushOutcome::Retry { detail, .. } => {
            assert!([406, 429].contains(&status) || status >= 500);
            detail
        }
        PushOutcome::Failed { detail, .. } => {
            assert!(!class.is_throttling() && !(500..600).contains(&status));
            detail
        }
        PushOutcome::Deferred { .. } => panic!("a response is not waited for"),
    };
    if let Some(detail) = detail {
        check(&detail);
    }
}

fn check(detail: &FailureDetail) {
    let text = detail.as_str();
    assert!(!text.is_empty() && text.chars().count() <= MAX_DETAIL);
    assert!(
        !text.contains(SECRET) && !text.contains(char::is_control),
        "{text}"
    );
    assert_eq!(FailureDetail::from_text(text).as_ref(), Some(detail));
}

fn response(data: &[u8], prefix: &str) -> Option<PushResponse> {
    let (status, rest) = data.split_first_chunk()?;
    let status = 100 + u16::from_le_bytes(*status) % 900;
    let mut headers = HeaderMap::new();
    let mut body = rest;
    while let Some(end) = body.iter().position(|byte| *byte == b'\n') {
        let line = &body[..end];
        body = &body[end + 1..];
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            break;
        };
        let name = [prefix.as_bytes(), &line[..colon]].concat();
        let name = HeaderName::from_bytes(&name);
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    Some(PushResponse {
        status: StatusCode::from_u16(status).ok()?,
        headers,
        body: Bytes::copy_from_slice(body),
    })
}
