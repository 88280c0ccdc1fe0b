//! Writing down what became of an attempt.

use std::time::Duration;

use hato_service::ports::{Attempt, AttemptRecorded, PostReply, StoreError, Verdict, WebhookQueue};

use super::attempt::{AttemptOutcome, DeliveryAttempt};
use crate::metrics::{AttemptResult, count_attempt};
use crate::retry::retry_until_shutdown;

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> DeliveryAttempt<Q> {
    /// Logs the attempt and puts it on record.
    pub(super) async fn record(&self, attempt: Attempt) -> AttemptOutcome {
        self.log(&attempt.reply, attempt.duration);
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
    fn log(&self, reply: &PostReply, duration: Duration) {
        let reply = match reply {
            PostReply::Answer { status, .. } => status.to_string(),
            PostReply::Nothing(failure) => failure.as_str().to_owned(),
        };
        tracing::debug!(app = %self.lease.app_id, event = %self.event.id, reply, ?duration, "an event was posted");
    }

    async fn try_record(&self, attempt: &Attempt) -> Result<AttemptOutcome, StoreError> {
        let shared = &self.sender.shared;
        let (limit, now) = (shared.settings.failing_limit, shared.clock.now());
        let queue = &self.sender.queue;
        let recorded = queue.record_attempt(&self.lease, attempt.clone(), limit, now);
        match recorded.await? {
            AttemptRecorded::LeaseLost => {
                tracing::warn!(event = %self.event.id, "an outbox's lease was lost: nothing recorded");
                return Ok(AttemptOutcome::LeaseLost);
            }
            AttemptRecorded::SwitchedOff(reason) => {
                let reason = reason.as_str();
                tracing::warn!(app = %self.lease.app_id, reason, "a webhook is switched off");
            }
            AttemptRecorded::Recorded => {}
        }
        count_attempt(match attempt.verdict {
            Verdict::Arrived => AttemptResult::Arrived,
            Verdict::Failed(Some(_)) => AttemptResult::Retried,
            Verdict::Failed(None) | Verdict::Gone => AttemptResult::Failed,
        });
        Ok(AttemptOutcome::Recorded {
            is_prompt: attempt.verdict == Verdict::Arrived && !attempt.is_slow,
            is_first: self.event.attempts == 0,
        })
    }
}
