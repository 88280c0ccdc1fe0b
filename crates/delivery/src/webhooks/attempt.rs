//! One attempt to post an event.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::{NoResponseReason, UnixMillis};
use hato_service::event_body;
use hato_service::ports::{
    Attempt, AttemptInputs, Disposition, OutboxLease, ReportedRecipients, StoreError, WebhookEvent,
    WebhookQueue, WebhookResponse,
};
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::WebhookSender;
use super::cached_webhook::CachedWebhook;
use super::client::{ClientReply, WebhookRequest};
use super::memory_budget::{MemoryPermit, body_memory};
use super::request_limiter::RequestPermit;
use super::schedule::next_step;
use super::send_signal::SendNotifier;
use super::signature::timestamp;
use super::signing_secrets::SigningSecretError;
use crate::shutdown::Shutdown;

/// An attempt to post an event.
pub(super) struct DeliveryAttempt<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lease: OutboxLease,
    pub(super) event: WebhookEvent,
    pub(super) webhook: Arc<CachedWebhook>,
    pub(super) shutdown: Shutdown,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum AttemptOutcome {
    /// The attempt is recorded.
    Recorded {
        /// Whether the event arrived, and promptly.
        is_prompt: bool,
        /// Whether it was the event's first.
        is_first: bool,
    },
    /// Nothing is known of it: it waits for somebody else.
    Unknown,
    /// It could not be signed.
    SigningSecret,
    /// It could not even be made, or not be recorded: the store fails.
    StoreFails,
    /// The outbox is somebody else's.
    LeaseLost,
}

/// Why no request was made.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error("it cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error("no signing secret: {0}")]
    SigningSecret(#[from] SigningSecretError),
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> DeliveryAttempt<Q> {
    /// Posts the event and records what became of it. A panic is a failed attempt, so that it does not come again at once.
    pub(super) async fn run(
        self,
        permit: &mut RequestPermit,
        notifier: SendNotifier,
    ) -> AttemptOutcome {
        let attempt = AssertUnwindSafe(self.attempt(permit, notifier.sent)).catch_unwind();
        let attempt = match attempt.await {
            Ok(Ok(Some(attempt))) => attempt,
            Ok(Ok(None)) => return AttemptOutcome::Unknown,
            Ok(Err(error)) => return self.not_prepared(&error),
            Err(_) => self.panicked(),
        };
        // Nobody may be interested any more.
        let _ = notifier.made.send(());
        self.record(attempt).await
    }

    fn not_prepared(&self, error: &PrepareError) -> AttemptOutcome {
        tracing::error!(app = %self.lease.app_id, event = %self.event.id, %error, "an event waits");
        match error {
            PrepareError::Store(_) => AttemptOutcome::StoreFails,
            PrepareError::SigningSecret(_) => AttemptOutcome::SigningSecret,
        }
    }

    /// Posts the event; None when interrupted, or when there is nowhere to post it to any more.
    async fn attempt(
        &self,
        permit: &mut RequestPermit,
        on_sent: oneshot::Sender<usize>,
    ) -> Result<Option<Attempt>, PrepareError> {
        let limiter = &self.sender.shared.limiter;
        let memory = limiter
            .memory(permit, body_memory(&self.event.content))
            .await;
        let Some((started_at, inputs)) = self.attempt_inputs().await? else {
            return Ok(None);
        };
        let signers = self.sender.signers(&self.lease, &inputs.webhook).await?;
        let body = event_body(&self.lease.app_id, &self.event, &inputs.recipients)?;
        drop(inputs);
        let weak_memory = Arc::downgrade(&memory);
        let began = Instant::now();
        let signature = signers.sign(&self.event.id, timestamp(started_at), &body);
        let request = WebhookRequest {
            url: self.url().to_owned(),
            headers: self.headers(started_at, &signature),
            body: memory.attach(body),
            on_sent,
        };
        tokio::select! {
            response = self.response(request, permit, &weak_memory) => {
                Ok(Some(self.judged(response, signature, started_at, began.elapsed())))
            }
            () = self.shutdown.aborting() => Ok(None),
        }
    }

    /// What the event takes with it, and when that was so; None when there is nowhere to post it to any more. The time is before
    /// the secrets are read: what is dated after a rotation has both signatures.
    async fn attempt_inputs(&self) -> Result<Option<(UnixMillis, AttemptInputs)>, StoreError> {
        let (shared, cached) = (&self.sender.shared, &self.webhook);
        let named = self.event.content.recipients();
        let at_hand = if named.is_empty() {
            Some(ReportedRecipients::default())
        } else {
            shared.recipient_cache.take(&self.event.id)
        };
        let at_hand = match at_hand {
            Some(recipients) if cached.is_fresh() => {
                let webhook = cached.webhook.clone();
                let inputs = AttemptInputs {
                    webhook,
                    recipients,
                };
                return Ok(Some((cached.at, inputs)));
            }
            at_hand => at_hand,
        };
        let unknown = if at_hand.is_some() { &[] } else { &*named };
        let now = shared.clock.now();
        let inputs = self
            .sender
            .queue
            .attempt_inputs(&self.lease, unknown, now)
            .await?;
        let inputs = inputs.filter(|inputs| inputs.webhook.url == self.url());
        Ok(inputs.map(|inputs| {
            let recipients = at_hand.unwrap_or(inputs.recipients);
            let inputs = AttemptInputs {
                recipients,
                ..inputs
            };
            (now, inputs)
        }))
    }

    fn url(&self) -> &str {
        &self.webhook.webhook.url
    }

    /// What comes back. A request that is not answered promptly leaves its permit to others.
    async fn response(
        &self,
        request: WebhookRequest,
        permit: &mut RequestPermit,
        memory: &Weak<MemoryPermit>,
    ) -> ClientReply {
        let shared = &self.sender.shared;
        let mut posting = pin!(shared.client.post(request, || shared.clock.now()));
        if let Ok(response) = timeout(shared.settings.prompt, posting.as_mut()).await {
            return response;
        }
        shared.limiter.move_to_slow(permit, memory);
        posting.await
    }

    fn headers(&self, started_at: UnixMillis, signature: &str) -> HeaderMap {
        let texts = [
            (WEBHOOK_ID, self.event.id.to_string()),
            (WEBHOOK_TIMESTAMP, timestamp(started_at).to_string()),
            (WEBHOOK_SIGNATURE, signature.to_owned()),
        ];
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, text) in texts {
            let value = HeaderValue::try_from(text).expect("ids, numbers and base64 are ASCII");
            headers.insert(name, value);
        }
        headers
    }

    fn panicked(&self) -> Attempt {
        let response = ClientReply {
            response: WebhookResponse::NotReceived(NoResponseReason::Unreachable),
            retry_after: None,
        };
        let now = self.sender.shared.clock.now();
        self.judged(response, String::new(), now, Duration::ZERO)
    }

    fn judged(
        &self,
        response: ClientReply,
        signature: String,
        started_at: UnixMillis,
        duration: Duration,
    ) -> Attempt {
        Attempt {
            event: self.event.number,
            resend: self.event.resend,
            url: self.url().to_owned(),
            signature,
            disposition: self.judge(&response),
            response: response.response,
            started_at,
            duration,
            is_slow: duration > self.sender.shared.settings.prompt,
        }
    }

    fn judge(&self, response: &ClientReply) -> Disposition {
        let shared = &self.sender.shared;
        let delays: &[Duration] = match self.event.resend {
            Some(_) => &[],
            None => &shared.settings.retry_delays,
        };
        next_step(
            &response.response,
            response.retry_after,
            self.event.attempts,
            delays,
            fastrand::f64().mul_add(2.0, -1.0),
            shared.clock.now(),
        )
    }
}

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
