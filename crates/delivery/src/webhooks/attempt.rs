//! One attempt to post an event: make its body, sign it, post it, judge the response, and record all of that.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::{NoResponseReason, UnixMillis};
use hato_service::ports::{
    Attempt, AttemptInputs, Disposition, FailingRule, OutboxLease, RecordAttemptOutcome,
    StoreError, WebhookEvent, WebhookQueue, WebhookResponse,
};
use hato_service::{event_body, max_event_body_memory};
use tokio::time::{Instant, timeout};

use super::WebhookSender;
use super::client::{PostResult, WebhookRequest};
use super::request_limiter::RequestPermit;
use super::schedule::{quiet_time, retry_wait};
use super::signature::{Signers, SigningSecretError, first_signing_secret};
use crate::metrics::{AttemptResult, count_attempt, record_attempt};
use crate::shutdown::Shutdown;
use crate::store_retry::retry_until_shutdown;

/// An attempt to post an event.
pub(super) struct EventAttempt<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lease: OutboxLease,
    pub(super) event: WebhookEvent,
    pub(super) shutdown: Shutdown,
}

/// Why the events of an outbox are posted no more for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The process was asked to stop.
    Shutdown,
    /// The webhook is not active any more.
    Inactive,
    /// The outbox is somebody else's.
    LeaseLost,
    /// The store has failed, and is asked again after a while.
    Store,
    /// The signing secrets are not to be had.
    SigningSecret,
}

/// Why no request was made.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error("it cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error("no signing secret: {0}")]
    SigningSecret(#[from] SigningSecretError),
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> EventAttempt<Q> {
    /// Posts the event and records the attempt; `true` when the event arrived promptly. A panic is a failed attempt, so that the
    /// event does not come again at once.
    pub(super) async fn run(&self, permit: &mut RequestPermit) -> Result<bool, StopReason> {
        let posted = AssertUnwindSafe(self.post(permit)).catch_unwind().await;
        permit.release_body_memory();
        match posted {
            Ok(attempt) => self.record(attempt?).await,
            Err(_) => self.record(self.panicked()).await,
        }
    }

    async fn post(&self, permit: &mut RequestPermit) -> Result<Attempt, StopReason> {
        let shared = &self.sender.shared;
        let bytes = max_event_body_memory(&self.event.content);
        shared.limiter.reserve_body_memory(permit, bytes).await;
        // Before the secrets are read: what is dated after a rotation has both signatures.
        let started_at = shared.clock.now();
        let request = self.request(started_at).await;
        let request = request.map_err(|error| self.not_prepared(&error))?;
        let request = request.ok_or(StopReason::Inactive)?;
        permit.shrink_body_memory(request.body.len());
        let (url, signature) = (request.url.clone(), request.signature.clone());
        let began = Instant::now();
        tokio::select! {
            result = self.exchange(request, permit) => {
                Ok(self.judged((url, signature), result, started_at, began.elapsed()))
            }
            () = self.shutdown.aborting() => Err(StopReason::Shutdown),
        }
    }

    /// What is posted; `None` when the webhook is not active any more.
    async fn request(
        &self,
        started_at: UnixMillis,
    ) -> Result<Option<WebhookRequest>, PrepareError> {
        let Some(inputs) = self.inputs(started_at).await? else {
            return Ok(None);
        };
        let app = &self.lease.app_id;
        let signers = Signers::open(&self.sender.shared.secrets, app, &inputs.webhook.secrets)?;
        let body = event_body(app, &self.event, &inputs.recipients)?;
        Ok(Some(WebhookRequest {
            url: inputs.webhook.url,
            id: self.event.id.clone(),
            signature: signers.sign(&self.event.id, started_at, &body),
            sent_at: started_at,
            body,
        }))
    }

    /// The webhook and the recipients. An app's first secret is made when its first event is posted, unless somebody has looked
    /// at the webhook before.
    async fn inputs(&self, now: UnixMillis) -> Result<Option<AttemptInputs>, PrepareError> {
        let (queue, lease) = (&self.sender.queue, &self.lease);
        let inputs = queue.attempt_inputs(lease, &self.event, now).await?;
        let has_secret = |inputs: &AttemptInputs| inputs.webhook.secrets.current.is_some();
        if inputs.as_ref().is_none_or(has_secret) {
            return Ok(inputs);
        }
        let sealed = first_signing_secret(&self.sender.shared.secrets, &lease.app_id)?;
        queue.keep_first_secret(&lease.app_id, sealed).await?;
        Ok(queue.attempt_inputs(lease, &self.event, now).await?)
    }

    fn not_prepared(&self, error: &PrepareError) -> StopReason {
        tracing::error!(app = %self.lease.app_id, event = %self.event.id, %error, "an event waits");
        match error {
            PrepareError::Store(_) => StopReason::Store,
            PrepareError::SigningSecret(_) => StopReason::SigningSecret,
        }
    }

    /// What comes back. A request that is not answered promptly leaves its permit to others.
    async fn exchange(&self, request: WebhookRequest, permit: &mut RequestPermit) -> PostResult {
        let shared = &self.sender.shared;
        let mut posting = pin!(shared.client.post(request, || shared.clock.now()));
        if let Ok(result) = timeout(shared.settings.prompt, posting.as_mut()).await {
            return result;
        }
        shared.limiter.move_to_slow(permit);
        posting.await
    }

    fn panicked(&self) -> Attempt {
        let result = PostResult {
            response: WebhookResponse::NotReceived(NoResponseReason::Unreachable),
            retry_after: None,
        };
        let now = self.sender.shared.clock.now();
        self.judged(Default::default(), result, now, Duration::ZERO)
    }

    fn judged(
        &self,
        (url, signature): (String, String),
        result: PostResult,
        started_at: UnixMillis,
        duration: Duration,
    ) -> Attempt {
        let disposition = self.disposition(&result);
        Attempt {
            event: self.event.number,
            earlier: self.event.attempts + self.event.resends,
            resend: self.event.resend,
            url,
            signature,
            response: result.response,
            started_at,
            duration,
            is_slow: duration > self.sender.shared.settings.prompt,
            disposition,
        }
    }

    fn disposition(&self, result: &PostResult) -> Disposition {
        let (earlier, jitter) = (self.event.attempts, fastrand::f64().mul_add(2.0, -1.0));
        let wait = retry_wait(self.delays(), earlier, result.retry_after, jitter);
        let now = self.sender.shared.clock.now();
        judge(&result.response, wait.map(|wait| now.plus(wait)))
    }

    /// A resend is made once.
    fn delays(&self) -> &[Duration] {
        match self.event.resend {
            Some(_) => &[],
            None => &self.sender.shared.settings.retry_delays,
        }
    }

    async fn record(&self, attempt: Attempt) -> Result<bool, StopReason> {
        self.log(&attempt);
        record_attempt(attempt.duration);
        let recorded = retry_until_shutdown(&self.shutdown, || async {
            let recorded = self.try_record(&attempt).await;
            self.sender.shared.failures.records.record(recorded).ok()
        });
        match recorded.await {
            Some(RecordAttemptOutcome::Recorded) => {
                count(attempt.disposition);
                Ok(attempt.disposition == Disposition::Arrived && !attempt.is_slow)
            }
            Some(RecordAttemptOutcome::Disabled(reason)) => {
                let reason = reason.as_str();
                tracing::warn!(app = %self.lease.app_id, reason, "a webhook is switched off");
                count(attempt.disposition);
                Err(StopReason::Inactive)
            }
            Some(RecordAttemptOutcome::LeaseLost) => {
                tracing::warn!(event = %self.event.id, "an outbox's lease was lost: nothing recorded");
                Err(StopReason::LeaseLost)
            }
            None => Err(StopReason::Store),
        }
    }

    async fn try_record(&self, attempt: &Attempt) -> Result<RecordAttemptOutcome, StoreError> {
        let shared = &self.sender.shared;
        let failing = FailingRule {
            limit: shared.settings.failing_limit,
            quiet_time: quiet_time(&shared.settings.retry_delays),
        };
        let (queue, now) = (&self.sender.queue, shared.clock.now());
        queue
            .record_attempt(&self.lease, attempt.clone(), failing, now)
            .await
    }

    /// Neither the URL, which may hold a token, nor the response.
    fn log(&self, attempt: &Attempt) {
        let response = match &attempt.response {
            WebhookResponse::Received { status, .. } => status.to_string(),
            WebhookResponse::NotReceived(failure) => failure.as_str().to_owned(),
        };
        let duration_us = attempt.duration.as_micros();
        tracing::debug!(app = %self.lease.app_id, event = %self.event.id, response, duration_us, "an event was posted");
    }
}

/// What the response means for an event that would be posted again at `retry_at`, or never (CONTRACT 8).
fn judge(response: &WebhookResponse, retry_at: Option<UnixMillis>) -> Disposition {
    match response {
        WebhookResponse::Received {
            status: 200..=299, ..
        } => Disposition::Arrived,
        WebhookResponse::Received { status: 410, .. } => Disposition::Gone,
        WebhookResponse::Received { .. } | WebhookResponse::NotReceived(_) => {
            Disposition::Failed(retry_at)
        }
    }
}

fn count(disposition: Disposition) {
    count_attempt(match disposition {
        Disposition::Arrived => AttemptResult::Arrived,
        Disposition::Failed(Some(_)) => AttemptResult::Retried,
        Disposition::Failed(None) | Disposition::Gone => AttemptResult::Failed,
    });
}

#[cfg(test)]
mod tests {
    use hato_domain::{NoResponseReason, UnixMillis};
    use hato_service::ports::{Disposition, WebhookResponse};

    use super::judge;

    #[test]
    fn every_response_has_its_disposition() {
        let retry_at = Some(UnixMillis(1_000_000));
        for status in 100..=599 {
            let text = String::new();
            let response = WebhookResponse::Received { status, text };
            let expected = match status {
                200..=299 => Disposition::Arrived,
                410 => Disposition::Gone,
                _ => Disposition::Failed(retry_at),
            };
            assert_eq!(judge(&response, retry_at), expected, "{status}");
        }
        let nothing = WebhookResponse::NotReceived(NoResponseReason::TimedOut);
        assert_eq!(judge(&nothing, None), Disposition::Failed(None));
    }
}
