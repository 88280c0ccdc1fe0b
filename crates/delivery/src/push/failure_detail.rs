//! What a push service says of a failure, as a dead letter's `detail` (CONTRACT 4): the members and headers that name the cause, or
//! else the beginning of the body; without what names the recipient.

use hato_domain::FailureDetail;
use http::HeaderMap;
use serde_json::Value;

use crate::push::origin::PushTarget;

/// Members of a JSON body that name the cause, in this order: Mozilla's number, Apple's word, and sentences.
const TELLING_MEMBERS: [&str; 4] = ["errno", "reason", "error", "message"];
/// What Microsoft's headers begin with.
const WNS_PREFIX: &str = "x-wns-";
/// Parts of an endpoint from this length on are left out of what its push service says.
const SECRET_CHARS: usize = 8;
/// Most such parts that an endpoint has of whose failure is told what was said: each is a search of the text, and the endpoints of push
/// services have three at most.
const MAX_SECRETS: usize = 16;

/// What the response to a push to `target`, of these headers and this body, says of its failure; None when it says nothing.
pub fn failure_detail(
    headers: &HeaderMap,
    body: &[u8],
    target: &PushTarget,
) -> Option<FailureDetail> {
    let headers = headers.iter();
    let headers = headers.filter(|(name, _)| name.as_str().starts_with(WNS_PREFIX));
    let headers = headers.map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        format!("{name}: {value}")
    });
    let parts = headers.chain(body_parts(body));
    let parts: Vec<String> = parts.filter(|part| !part.trim().is_empty()).collect();
    FailureDetail::from_text(&without_endpoint(parts.join(", "), target)?)
}

fn body_parts(body: &[u8]) -> Vec<String> {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let member = |name| {
        let value = json.as_ref()?.get(name)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        Some(format!("{name} {text}"))
    };
    let telling: Vec<String> = TELLING_MEMBERS.into_iter().filter_map(member).collect();
    if telling.is_empty() {
        vec![String::from_utf8_lossy(body).into_owned()]
    } else {
        telling
    }
}

/// Path and query of an endpoint are all that it takes to push to a browser. Some push services repeat them. `None` where they have too
/// many parts.
fn without_endpoint(text: String, target: &PushTarget) -> Option<String> {
    let path = target.uri.path_and_query().map_or("", |it| it.as_str());
    let parts = path.split(['/', '?', '&', '=']);
    let secrets: Vec<&str> = parts.filter(|part| part.len() >= SECRET_CHARS).collect();
    (secrets.len() <= MAX_SECRETS).then(|| {
        let secrets = secrets.into_iter();
        secrets.fold(text, |text, secret| text.replace(secret, "…"))
    })
}

#[cfg(test)]
mod tests {
    use hato_domain::{Endpoint, FailureDetail};
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::failure_detail;
    use crate::push::origin::PushTarget;

    fn detail(headers: &[(&'static str, &'static str)], body: &'static [u8]) -> Option<String> {
        let endpoint = "https://wns2.notify.windows.com/w/SECRETPATH?token=secret%2fquery";
        detail_of(endpoint, headers, body)
    }

    fn detail_of(
        endpoint: &str,
        headers: &[(&'static str, &'static str)],
        body: &'static [u8],
    ) -> Option<String> {
        let endpoint = Endpoint::parse(endpoint).expect("an endpoint");
        let target = PushTarget::from_endpoint(&endpoint).expect("a target");
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        let headers: HeaderMap = headers.collect();
        failure_detail(&headers, body, &target).map(|it: FailureDetail| it.as_str().to_owned())
    }

    #[test]
    fn each_push_services_own_words_are_kept() {
        let mozilla = br#"{"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch","more_info":"http://a"}"#;
        let apple = br#"{"reason":"BadJwtToken"}"#;
        for (body, expected) in [
            (
                mozilla as &[u8],
                "errno 109, error Unauthorized, message VAPID public key mismatch",
            ),
            (apple, "reason BadJwtToken"),
            (b"<h1>403\n</h1>", "<h1>403 </h1>"),
            (b"[1]", "[1]"),
        ] {
            assert_eq!(detail(&[], body).as_deref(), Some(expected));
        }
        assert_eq!(detail(&[], b""), None);
        assert_eq!(detail(&[("retry-after", "5")], b" \0"), None);
    }

    #[test]
    fn microsofts_headers_tell_the_cause() {
        let headers = [
            ("x-wns-status", "dropped"),
            ("content-type", "text/plain"),
            ("x-wns-error-description", "Channel expired"),
        ];
        let said = detail(&headers, b"").expect("a text");
        assert!(said.contains("x-wns-status: dropped"), "{said}");
        assert!(said.contains("x-wns-error-description: Channel expired"));
        assert!(!said.contains("text/plain"));
    }

    #[test]
    fn the_recipient_is_not_named() {
        let said = detail(&[], b"no channel /w/SECRETPATH?token=secret%2fquery here");
        assert_eq!(said.as_deref(), Some("no channel /w/…?token=… here"));
    }

    #[test]
    fn nothing_is_told_of_an_endpoint_that_is_all_parts() {
        let with = |parts| format!("https://push.example.com{}", "/a-secret".repeat(parts));
        let told = detail_of(&with(16), &[], b"no a-secret");
        assert_eq!(told.as_deref(), Some("no …"));
        assert_eq!(detail_of(&with(17), &[], b"no a-secret"), None);
    }
}
