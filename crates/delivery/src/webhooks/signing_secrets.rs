//! From an app's sealed secrets to what signs its events.

use hato_domain::ErrorCode;
use hato_service::ports::{OutboxLease, StoreError, WebhookQueue, WebhookRecord};
use hato_service::{ServiceError, UnsealError, new_secret};

use super::WebhookSender;
use super::signature::Signers;

/// The signing secrets are not to be had.
#[derive(Debug, thiserror::Error)]
pub enum SigningSecretError {
    /// Nothing opens them.
    #[error("the encryption key is not configured (HATO_ENCRYPTION_KEY)")]
    NotConfigured,
    /// They were sealed with another key.
    #[error(transparent)]
    Sealed(#[from] UnsealError),
    /// The first one cannot be made.
    #[error("no secret can be made: {0}")]
    FirstSecret(#[from] ServiceError),
}

impl From<ErrorCode> for SigningSecretError {
    fn from(_: ErrorCode) -> Self {
        Self::NotConfigured
    }
}

impl From<StoreError> for SigningSecretError {
    fn from(error: StoreError) -> Self {
        Self::FirstSecret(error.into())
    }
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> WebhookSender<Q> {
    /// What signs now; an app's first secret is made when it is body_memory first.
    pub(super) async fn signers(
        &self,
        lease: &OutboxLease,
        webhook: &WebhookRecord,
    ) -> Result<Signers, SigningSecretError> {
        let owner = lease.app_id.as_str();
        let sealer = self.shared.secrets.sealer()?;
        let Some(current) = &webhook.secrets.current else {
            return self.first_signers(lease).await;
        };
        let mut secrets = vec![sealer.open(owner, current)?];
        if let Some((previous, _)) = &webhook.secrets.previous {
            secrets.push(sealer.open(owner, previous)?);
        }
        Ok(Signers::new(&secrets))
    }

    async fn first_signers(&self, lease: &OutboxLease) -> Result<Signers, SigningSecretError> {
        let app = &lease.app_id;
        let sealer = self.shared.secrets.sealer()?;
        let secret = sealer.seal(app.as_str(), &new_secret()?);
        self.queue.keep_first_secret(app, secret).await?;
        let inputs = self
            .queue
            .attempt_inputs(lease, &[], self.shared.clock.now());
        let secret = inputs
            .await?
            .and_then(|inputs| inputs.webhook.secrets.current);
        let secret = sealer.open(app.as_str(), &secret.unwrap_or_default())?;
        Ok(Signers::new(&[secret]))
    }
}
