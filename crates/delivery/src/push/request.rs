//! One push message as an HTTP request (RFC 8030 §5).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hato_domain::{Topic, Urgency};
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Version};
use tokio::time::Instant;

use crate::push::origin::{Origin, PushTarget};

const TTL: HeaderName = HeaderName::from_static("ttl");
const URGENCY: HeaderName = HeaderName::from_static("urgency");
const TOPIC: HeaderName = HeaderName::from_static("topic");
const WNS_CACHE_POLICY: HeaderName = HeaderName::from_static("x-wns-cache-policy");

/// The headers that all messages of a page share: `TTL`, `Urgency` and `Topic` (RFC 8030 §5.2 to §5.4) and the body's coding.
#[derive(Clone, Debug)]
pub struct PageHeaders {
    common: HeaderMap,
    ttl: Duration,
}

impl PageHeaders {
    /// The headers of messages that push services keep for `ttl`, in whole seconds.
    pub fn new(ttl: Duration, urgency: Option<Urgency>, topic: Option<&Topic>) -> Self {
        let mut common = HeaderMap::with_capacity(8);
        common.insert(TTL, HeaderValue::from(ttl.as_secs()));
        common.insert(CONTENT_ENCODING, HeaderValue::from_static("aes128gcm"));
        common.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        );
        if let Some(urgency) = urgency {
            common.insert(URGENCY, HeaderValue::from_static(urgency.as_str()));
        }
        if let Some(Ok(topic)) = topic.map(|topic| HeaderValue::from_str(topic.as_str())) {
            common.insert(TOPIC, topic);
        }
        Self { common, ttl }
    }

    /// The headers of the messages to one origin. Microsoft's service keeps a message of TTL 0 unless it is told not to.
    pub fn with(&self, authorization: HeaderValue, origin: &Origin) -> HeaderMap {
        let mut headers = self.common.clone();
        headers.insert(AUTHORIZATION, authorization);
        if self.ttl.is_zero() && origin.is_windows() {
            headers.insert(WNS_CACHE_POLICY, HeaderValue::from_static("no-cache"));
        }
        headers
    }
}

/// One push message, ready to be pushed, and to be pushed again.
#[derive(Clone, Debug)]
pub struct Push {
    /// The address that the message is posted to, at the push service of the recipient.
    pub target: PushTarget,
    /// As [`PageHeaders::with`] makes them.
    pub headers: Arc<HeaderMap>,
    /// The message in the `aes128gcm` coding (RFC 8188, RFC 8291).
    pub body: Bytes,
    /// Until when it may be begun, if its send is paced (CONTRACT 14).
    pub begin_by: Option<Instant>,
}

impl Push {
    /// Whether it may not be begun any more.
    pub fn is_too_late(&self) -> bool {
        self.begin_by.is_some_and(|until| Instant::now() > until)
    }

    /// The request with this body on a connection that speaks `version`: the target in absolute form for HTTP/2, in origin form with a
    /// `Host` for HTTP/1.1 (RFC 9112 §3.2).
    pub fn request<B>(&self, version: Version, body: B) -> Request<B> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.headers_mut() = HeaderMap::clone(&self.headers);
        if version == Version::HTTP_2 {
            *request.uri_mut() = self.target.uri.clone();
            return request;
        }
        if let Some(path) = self.target.uri.path_and_query() {
            *request.uri_mut() = path.clone().into();
        }
        if let Ok(host) = HeaderValue::try_from(self.target.origin.authority()) {
            request.headers_mut().insert(HOST, host);
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use hato_domain::{Endpoint, Topic, Urgency};
    use http::{HeaderMap, HeaderValue, Version};

    use super::{PageHeaders, Push};
    use crate::push::origin::PushTarget;

    fn target(endpoint: &str) -> PushTarget {
        PushTarget::from_endpoint(&Endpoint::parse(endpoint).expect("an endpoint"))
            .expect("a target")
    }

    fn headers(ttl: u64, endpoint: &str) -> HeaderMap {
        let page = PageHeaders::new(Duration::from_secs(ttl), None, None);
        page.with(
            HeaderValue::from_static("vapid t=, k="),
            &target(endpoint).origin,
        )
    }

    #[test]
    fn options_become_headers_when_given() {
        let topic = Topic::parse("news").expect("a topic");
        let page = PageHeaders::new(Duration::from_mins(1), Some(Urgency::High), Some(&topic));
        let headers = page.with(
            HeaderValue::from_static("vapid"),
            &target("https://a.example/x").origin,
        );
        for (name, value) in [
            ("ttl", "60"),
            ("urgency", "high"),
            ("topic", "news"),
            ("content-encoding", "aes128gcm"),
            ("content-type", "application/octet-stream"),
            ("authorization", "vapid"),
        ] {
            assert_eq!(headers[name], value);
        }
        let plain = self::headers(60, "https://a.example/x");
        assert!(!plain.contains_key("urgency") && !plain.contains_key("topic"));
    }

    #[test]
    fn microsoft_is_told_not_to_keep_a_message_of_ttl_0() {
        let windows = "https://wns2-x.notify.windows.com/w/";
        assert_eq!(headers(0, windows)["x-wns-cache-policy"], "no-cache");
        assert!(!headers(1, windows).contains_key("x-wns-cache-policy"));
        assert!(!headers(0, "https://a.example/x").contains_key("x-wns-cache-policy"));
    }

    #[test]
    fn each_version_names_its_target_in_its_own_way() {
        let push = Push {
            target: target("https://a.example:444/x?y"),
            headers: Arc::default(),
            body: Bytes::new(),
            begin_by: None,
        };
        let two = push.request(Version::HTTP_2, ());
        assert_eq!(two.uri(), "https://a.example:444/x?y");
        let one = push.request(Version::HTTP_11, ());
        assert_eq!(one.uri(), "/x?y");
        assert_eq!(one.headers()["host"], "a.example:444");
    }
}
