//! Writing down what became of an attempt.

use std::time::Duration;

use hato_service::ports::{Attempt, AttemptRecorded, PostReply, StoreError, Verdict, WebhookQueue};

use super::flight::{Flight, Landing};
use crate::metrics::{Posted, count_post};
use crate::perseverance::persist;

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> Flight<Q> {
    /// Logs the attempt and puts it on record.
    pub(super) async fn record(&self, attempt: Attempt) -> Landing {
        self.log(&attempt.reply, attempt.duration);
        let landing = persist(&self.shutdown, || async {
            let landing = self.try_record(&attempt).await;
            let landing = landing.inspect_err(|error| {
                tracing::error!(event = %self.event.id, %error, "an attempt cannot be recorded");
            });
            landing.ok()
        });
        landing.await.unwrap_or(Landing::StoreFails)
    }

    /// Neither the URL, which may hold a token, nor the answer.
    fn log(&self, reply: &PostReply, duration: Duration) {
        let reply = match reply {
            PostReply::Answer { status, .. } => status.to_string(),
            PostReply::Nothing(failure) => failure.as_str().to_owned(),
        };
        tracing::debug!(app = %self.lane.app_id, event = %self.event.id, reply, ?duration, "an event was posted");
    }

    async fn try_record(&self, attempt: &Attempt) -> Result<Landing, StoreError> {
        let shared = &self.sender.shared;
        let (limit, now) = (shared.settings.failing_limit, shared.clock.now());
        let queue = &self.sender.queue;
        let recorded = queue.record_attempt(&self.lane, attempt.clone(), limit, now);
        match recorded.await? {
            AttemptRecorded::LeaseLost => {
                tracing::warn!(event = %self.event.id, "a lane's lease was lost: nothing recorded");
                return Ok(Landing::LeaseLost);
            }
            AttemptRecorded::SwitchedOff(reason) => {
                let reason = reason.as_str();
                tracing::warn!(app = %self.lane.app_id, reason, "a webhook is switched off");
            }
            AttemptRecorded::Recorded => {}
        }
        count_post(match attempt.verdict {
            Verdict::Arrived => Posted::Arrived,
            Verdict::Failed(Some(_)) => Posted::Retried,
            Verdict::Failed(None) | Verdict::Gone => Posted::Failed,
        });
        Ok(Landing::Recorded {
            is_prompt: attempt.verdict == Verdict::Arrived && !attempt.is_slow,
            is_first: self.event.attempts == 0,
        })
    }
}
