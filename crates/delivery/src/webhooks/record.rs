//! Writing down what became of an attempt.

use std::time::Duration;

use hato_service::ports::{
    Attempt, Disposition, RecordAttemptOutcome, StoreError, WebhookQueue, WebhookResponse,
};

use super::attempt::{AttemptOutcome, DeliveryAttempt};
use crate::metrics::{AttemptResult, count_attempt};
use crate::retry::retry_until_shutdown;

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> DeliveryAttempt<Q> {
    /// Logs the attempt and puts it on record.
    pub(super) async fn record(&self, attempt: Attempt) -> AttemptOutcome {
        self.log(&attempt.response, attempt.duration);
        let outcome = retry_until_shutdown(&self.shutdown, || async {
            let outcome = self.try_record(&attempt).await;
            let outcome = outcome.inspect_err(|error| {
                tracing::error!(event = %self.event.id, %error, "an attempt cannot be recorded");
            });
            outcome.ok()
        });
        outcome.await.unwrap_or(AttemptOutcome::StoreFails)
    }

    /// Neither the URL, which may hold a token, nor the answer.
    fn log(&self, response: &WebhookResponse, duration: Duration) {
        let response = match response {
            WebhookResponse::Received { status, .. } => status.to_string(),
            WebhookResponse::NotReceived(failure) => failure.as_str().to_owned(),
        };
        tracing::debug!(app = %self.lease.app_id, event = %self.event.id, response, ?duration, "an event was posted");
    }

    async fn try_record(&self, attempt: &Attempt) -> Result<AttemptOutcome, StoreError> {
        let shared = &self.sender.shared;
        let (limit, now) = (shared.settings.failing_limit, shared.clock.now());
        let queue = &self.sender.queue;
        let recorded = queue.record_attempt(&self.lease, attempt.clone(), limit, now);
        match recorded.await? {
            RecordAttemptOutcome::LeaseLost => {
                tracing::warn!(event = %self.event.id, "an outbox's lease was lost: nothing recorded");
                return Ok(AttemptOutcome::LeaseLost);
            }
            RecordAttemptOutcome::SwitchedOff(reason) => {
                let reason = reason.as_str();
                tracing::warn!(app = %self.lease.app_id, reason, "a webhook is switched off");
            }
            RecordAttemptOutcome::Recorded => {}
        }
        count_attempt(match attempt.disposition {
            Disposition::Arrived => AttemptResult::Arrived,
            Disposition::Failed(Some(_)) => AttemptResult::Retried,
            Disposition::Failed(None) | Disposition::Gone => AttemptResult::Failed,
        });
        Ok(AttemptOutcome::Recorded {
            is_prompt: attempt.disposition == Disposition::Arrived && !attempt.is_slow,
            is_first: self.event.attempts == 0,
        })
    }
}
