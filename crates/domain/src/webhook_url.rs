//! Where an app wants its delivery results posted.

use crate::{Endpoint, ErrorCode, OutboundPolicy};

/// The URL of an app's webhook (SPEC 2.1), kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(Endpoint);

impl WebhookUrl {
    /// Obeys the rules of an endpoint, address literals that `policy` does not permit included, all as `INVALID_URL`
    /// (CONTRACT 8).
    pub fn parse(text: &str, policy: &OutboundPolicy) -> Result<Self, ErrorCode> {
        Endpoint::parse_permitted(text, policy)
            .map(Self)
            .map_err(|_| ErrorCode::InvalidUrl)
    }

    /// The URL as it was given.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::WebhookUrl;
    use crate::{ErrorCode, OutboundPolicy};

    #[test]
    fn every_fault_is_an_invalid_url() {
        let closed = OutboundPolicy::default();
        for text in [
            "http://a.example/",
            "https://",
            "https://u:p@a.example/",
            "https://10.0.0.1/hook",
            "https://[::1]/hook",
            &format!("https://a.example/{}", "x".repeat(2_048)),
        ] {
            let parsed = WebhookUrl::parse(text, &closed);
            assert_eq!(parsed, Err(ErrorCode::InvalidUrl), "{text}");
        }
        assert!(WebhookUrl::parse("https://a.example/hook", &closed).is_ok());
        let open = OutboundPolicy::parse("10.0.0.0/8").expect("a CIDR list");
        assert!(WebhookUrl::parse("https://10.0.0.1/hook", &open).is_ok());
    }
}
