//! Writing down what became of an attempt.

use std::time::Duration;

use hato_service::ports::{Attempt, AttemptRecorded, PostReply, StoreError, Verdict, WebhookQueue};
use tokio::time::Instant;

use super::flight::{Flight, Landing};
use crate::metrics::{Posted, count_post};

/// The waits between attempts to record: the first, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long recording is attempted once the sender was asked to stop now.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> Flight<Q> {
    /// A store that fails is asked again for as long as the sender runs, for what arrived must not arrive twice. Asking late does no harm: the lease's token
    /// fences.
    pub(super) async fn record(&self, attempt: Attempt) -> Landing {
        self.log(&attempt.reply, attempt.duration);
        let began = Instant::now();
        let mut wait = WAITS.0;
        loop {
            match self.try_record(&attempt).await {
                Ok(landing) => return landing,
                Err(error) => {
                    tracing::error!(event = %self.event.id, %error, "an attempt cannot be recorded");
                }
            }
            if self.is_too_late(began.elapsed()) {
                return Landing::StoreFails;
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(WAITS.1);
        }
    }

    /// Neither the URL, which may hold a token, nor the answer.
    fn log(&self, reply: &PostReply, duration: Duration) {
        let reply = match reply {
            PostReply::Answer { status, .. } => status.to_string(),
            PostReply::Nothing(failure) => failure.as_str().to_owned(),
        };
        tracing::debug!(app = %self.lane.app_id, event = %self.event.id, reply, ?duration, "an event was posted");
    }

    fn is_too_late(&self, elapsed: Duration) -> bool {
        self.shutdown.is_aborting() && elapsed > LAST_PATIENCE
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
        })
    }
}
