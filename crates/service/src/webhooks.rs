//! Webhooks as owners see them: secrets, the switch, and what became of events (CONTRACT 8).

mod body;
mod body_memory;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_domain::{AppId, DisabledReason, ErrorCode, UnixMillis, WebhookEventId};

use zeroize::Zeroizing;

pub use body::event_body;
pub use body_memory::{EventBodyMemory, ReservedBodyMemory, max_event_body_memory};

use crate::access::MayManage;
use crate::ports::{AttemptRecord, EnableWebhookOutcome, QueueTestOutcome, WebhookRecord};
use crate::seal_purpose::SIGNING_SECRET_BYTES;
use crate::{SealPurpose, Sealer, Service, ServiceError, ServiceResult};

/// Attempts of an app that its owner can look at; older ones are removed.
pub const MAX_KEPT_ATTEMPTS: u32 = 100;

/// How old an event becomes (CONTRACT 8).
pub const MAX_EVENT_AGE: Duration = Duration::from_hours(5 * 24);

/// How long both secrets sign after a rotation (CONTRACT 8).
const ROTATION_OVERLAP: Duration = Duration::from_hours(24);

/// An event with the very text that receivers get of it.
pub struct PostedEvent {
    /// The id that receivers see, `msg_…`.
    pub id: WebhookEventId,
    /// When the event was made.
    pub created_at: UnixMillis,
    /// The JSON that is posted.
    pub body: String,
}

/// An app's webhook, with its secrets in their text form.
#[derive(Clone)]
pub struct WebhookDetails {
    /// Where events are posted.
    pub url: String,
    /// The secret that signs events: `whsec_` and base64 of 32 bytes.
    pub secret: String,
    /// The one before, and when it stops signing.
    pub previous_secret: Option<(String, UnixMillis)>,
    /// Why no events are posted; `None` when they are.
    pub disabled: Option<DisabledReason>,
}

/// A new secret to sign the app's events with, sealed for the app.
pub fn new_signing_secret(sealer: &Sealer, app: &AppId) -> ServiceResult<Vec<u8>> {
    let mut secret = Zeroizing::new([0; SIGNING_SECRET_BYTES]);
    aws_lc_rs::rand::fill(secret.as_mut_slice()).map_err(ServiceError::internal)?;
    Ok(sealer.seal(SealPurpose::SigningSecret, app, secret.as_slice()))
}

impl Service {
    /// The app's webhook; `NOT_FOUND` while it has no URL, `CONFIG_ERROR` without an encryption key.
    pub async fn webhook(&self, access: &MayManage) -> ServiceResult<WebhookDetails> {
        let record = self.webhook_record(access).await?;
        if record.secrets.current.is_some() {
            return self.open_secrets(access, record);
        }
        let sealed = self.sealed_signing_secret(access)?;
        self.store.keep_first_secret(access.app(), sealed).await?;
        let record = self.webhook_record(access).await?;
        self.open_secrets(access, record)
    }

    /// Makes a new secret; for a day both sign (CONTRACT 8). Refuses as [`Self::webhook`] does.
    pub async fn rotate_webhook_secret(&self, access: &MayManage) -> ServiceResult<WebhookDetails> {
        self.webhook(access).await?;
        let sealed = self.sealed_signing_secret(access)?;
        let until = self.clock.now().plus(ROTATION_OVERLAP);
        let rotated = self.store.rotate_secret(access.app(), sealed, until);
        rotated.await?;
        self.webhook(access).await
    }

    /// Enables a disabled webhook. Refuses as [`Self::webhook`] does, and with `PLAN_REQUIRED`.
    pub async fn enable_webhook(&self, access: &MayManage) -> ServiceResult<WebhookDetails> {
        match self.store.enable_webhook(access.app()).await? {
            EnableWebhookOutcome::Done => self.webhook(access).await,
            EnableWebhookOutcome::PlanRequired => Err(ErrorCode::PlanRequired.into()),
            EnableWebhookOutcome::NoWebhook => Err(ErrorCode::NotFound.into()),
        }
    }

    /// Queues a `webhook.test` event; `NOT_FOUND` when the webhook is not active, `RATE_LIMITED` when 100 wait already.
    pub async fn send_test_event(&self, access: &MayManage) -> ServiceResult<()> {
        let now = self.clock.now();
        let queued = self.store.queue_test_event(access.app(), now).await?;
        if queued == QueueTestOutcome::LimitReached {
            return Err(ErrorCode::RateLimited.into());
        }
        self.notify_queued(access, queued == QueueTestOutcome::Queued)
    }

    /// Queues an attempt to post an event besides those that are due by themselves, under its id; `NOT_FOUND` when there is
    /// none any more that was posted before, or the webhook is not active.
    pub async fn resend_event(&self, access: &MayManage, event: &str) -> ServiceResult<()> {
        let event = WebhookEventId::parse(event)?;
        let now = self.clock.now();
        let queued = self.store.resend_event(access.app(), &event, now).await?;
        self.notify_queued(access, queued)
    }

    /// The newest attempts to post the app's events, newest first.
    pub async fn webhook_attempts(&self, access: &MayManage) -> ServiceResult<Vec<AttemptRecord>> {
        let attempts = self.store.webhook_attempts(access.app(), MAX_KEPT_ATTEMPTS);
        Ok(attempts.await?)
    }

    /// An event of the app with its body; `NOT_FOUND`.
    pub async fn webhook_event(
        &self,
        access: &MayManage,
        event: &str,
    ) -> ServiceResult<PostedEvent> {
        let event = WebhookEventId::parse(event)?;
        let event = self.store.webhook_event(access.app(), &event).await?;
        let event = event.ok_or(ErrorCode::NotFound)?;
        let recipients = event.content.recipients();
        let recipients = self.store.reported_recipients(&recipients).await?;
        Ok(PostedEvent {
            body: event_body(access.app(), &event, &recipients)?,
            id: event.id,
            created_at: event.created_at,
        })
    }

    /// Makes the first signing secret of a webhook that was just set, so that reading it need not. Without an encryption key it is
    /// made when there is one.
    pub(crate) async fn keep_first_signing_secret(&self, access: &MayManage) -> ServiceResult<()> {
        if let Ok(sealed) = self.sealed_signing_secret(access) {
            self.store.keep_first_secret(access.app(), sealed).await?;
        }
        Ok(())
    }

    fn notify_queued(&self, access: &MayManage, queued: bool) -> ServiceResult<()> {
        if !queued {
            return Err(ErrorCode::NotFound.into());
        }
        self.notifier.notify_event(access.app());
        Ok(())
    }

    async fn webhook_record(&self, access: &MayManage) -> ServiceResult<WebhookRecord> {
        let now = self.clock.now();
        let record = self.store.webhook(access.app(), now).await?;
        Ok(record.ok_or(ErrorCode::NotFound)?)
    }

    fn sealed_signing_secret(&self, access: &MayManage) -> ServiceResult<Vec<u8>> {
        new_signing_secret(self.secrets.sealer()?, access.app())
    }

    fn open_secrets(
        &self,
        access: &MayManage,
        record: WebhookRecord,
    ) -> ServiceResult<WebhookDetails> {
        let sealer = self.secrets.sealer()?;
        let open = |sealed: &[u8]| -> ServiceResult<String> {
            let secret = sealer.open(SealPurpose::SigningSecret, access.app(), sealed);
            Ok(secret_text(&secret.map_err(ServiceError::internal)?))
        };
        let current = record.secrets.current.unwrap_or_default();
        let previous = record.secrets.previous;
        let previous = previous.map(|(sealed, until)| open(&sealed).map(|it| (it, until)));
        Ok(WebhookDetails {
            url: record.url,
            secret: open(&current)?,
            previous_secret: previous.transpose()?,
            disabled: record.disabled,
        })
    }
}

fn secret_text(secret: &[u8]) -> String {
    format!("whsec_{}", STANDARD.encode(secret))
}
