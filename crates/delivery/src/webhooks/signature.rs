//! Signing as Standard Webhooks says: HMAC-SHA256 over id, time and body, one signature for each secret.
//!
//! The `standardwebhooks` crate does the same with SHA-256 in portable Rust over a copy of the body; an event of 500 results
//! has 100 KB, and aws-lc-rs is here anyway.

use aws_lc_rs::hmac::{Context, HMAC_SHA256, Key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_domain::{UnixMillis, WebhookEventId};

/// The secrets that sign, the current one first.
pub struct Signers(Vec<Key>);

impl Signers {
    /// From the bytes of the secrets.
    pub fn new(secrets: &[Vec<u8>]) -> Self {
        let key = |secret: &Vec<u8>| Key::new(HMAC_SHA256, secret);
        Self(secrets.iter().map(key).collect())
    }

    /// The value of `webhook-signature`.
    pub fn sign(&self, id: &WebhookEventId, timestamp: i64, body: &str) -> String {
        let signatures = self.0.iter().map(|key| {
            let mut context = Context::with_key(key);
            context.update(format!("{id}.{timestamp}.").as_bytes());
            context.update(body.as_bytes());
            format!("v1,{}", STANDARD.encode(context.sign()))
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}

/// The value of `webhook-timestamp`: Unix seconds.
pub fn timestamp(at: UnixMillis) -> i64 {
    at.0.div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hato_domain::WebhookEventId;

    use super::Signers;

    /// The example of the specification's reference implementations.
    #[test]
    fn the_published_example_comes_out() {
        let secret = STANDARD
            .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .expect("base64");
        let id = WebhookEventId::trusted("msg_p5jXN8AQM9LWM0D4loKWxJek".into());
        let signers = Signers::new(&[secret.clone(), secret]);
        let signature = signers.sign(&id, 1_614_265_330, r#"{"test": 2432232314}"#);
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature, format!("{one} {one}"));
    }
}
