//! Signing as Standard Webhooks says: HMAC-SHA256 over id, time and body, one signature for each secret.
//!
//! The `standardwebhooks` crate does the same with SHA-256 in portable Rust over a copy of the body; an event of 500 results
//! has 100 KB, and aws-lc-rs is here anyway.

use aws_lc_rs::hmac::{Context, HMAC_SHA256, Key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_domain::{AppId, ErrorCode, UnixMillis, WebhookEventId};
use hato_service::ports::SealedSecrets;
use hato_service::{SealPurpose, Secrets, ServiceError, UnsealError, new_signing_secret};

/// The signing secrets are not to be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum SigningSecretError {
    #[error("the encryption key is not configured (HATO_ENCRYPTION_KEY)")]
    NotConfigured,
    /// They were sealed with another key.
    #[error(transparent)]
    Sealed(#[from] UnsealError),
    #[error("no secret can be made: {0}")]
    FirstSecret(#[from] ServiceError),
}

impl From<ErrorCode> for SigningSecretError {
    fn from(_: ErrorCode) -> Self {
        Self::NotConfigured
    }
}

/// The first signing secret of an app that has none, sealed.
pub(super) fn first_signing_secret(
    secrets: &Secrets,
    app: &AppId,
) -> Result<Vec<u8>, SigningSecretError> {
    Ok(new_signing_secret(secrets.sealer()?, app)?)
}

/// The secrets that sign, the current one first.
pub(super) struct Signers(Vec<Key>);

impl Signers {
    /// Opens an app's secrets.
    pub(super) fn open(
        secrets: &Secrets,
        app: &AppId,
        kept: &SealedSecrets,
    ) -> Result<Self, SigningSecretError> {
        let sealer = secrets.sealer()?;
        let previous = kept.previous.as_ref().map(|(secret, _)| secret);
        let all = kept.current.iter().chain(previous);
        let opened = all.map(|secret| sealer.open(SealPurpose::SigningSecret, app, secret));
        let opened = opened.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(&opened))
    }

    fn new(secrets: &[impl AsRef<[u8]>]) -> Self {
        let keys = secrets
            .iter()
            .map(|secret| Key::new(HMAC_SHA256, secret.as_ref()));
        Self(keys.collect())
    }

    /// The value of `webhook-signature`: `v1,` and base64 for each secret, with a space between two.
    pub(super) fn sign(&self, id: &WebhookEventId, sent_at: UnixMillis, body: &str) -> String {
        let timestamp = timestamp(sent_at);
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
pub(super) fn timestamp(at: UnixMillis) -> i64 {
    at.0.div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hato_domain::{UnixMillis, WebhookEventId};

    use super::Signers;

    /// The example of the specification's reference implementations.
    #[test]
    fn the_published_example_comes_out() {
        let secret = STANDARD
            .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .expect("base64");
        let id = WebhookEventId::trusted("msg_p5jXN8AQM9LWM0D4loKWxJek".into());
        let signers = Signers::new(&[secret.clone(), secret]);
        let sent_at = UnixMillis(1_614_265_330_999);
        let signature = signers.sign(&id, sent_at, r#"{"test": 2432232314}"#);
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature, format!("{one} {one}"));
    }
}
