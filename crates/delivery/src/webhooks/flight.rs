//! One event's way to its receiver, and the record of what became of it.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::PostFailure;
use hato_service::event_body;
use hato_service::ports::{
    Attempt, AttemptRecorded, LaneLease, PostReply, StoreError, Verdict, WebhookEvent, WebhookQueue,
};
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::WebhookSender;
use super::places::Place;
use super::post::{Letter, Reply};
use super::schedule::verdict;
use super::signature::{Signers, timestamp};
use crate::metrics::{Posted, count_post};
use crate::shutdown::Shutdown;

/// The waits between attempts to record: the first, and the longest.
const RECORD_WAITS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How long recording is attempted once the sender was asked to stop now.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// An event on its way.
pub(super) struct Flight<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lane: LaneLease,
    pub(super) event: WebhookEvent,
    pub(super) url: String,
    pub(super) signers: Arc<Signers>,
    pub(super) shutdown: Shutdown,
}

/// How an event's flight ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Landing {
    /// The attempt is recorded.
    Recorded {
        /// Whether the event arrived, and promptly.
        is_prompt: bool,
    },
    /// Nothing is known of it: it waits for somebody else.
    Unknown,
    /// It could not even be made, or not be recorded: the store fails.
    StoreFails,
    /// The lane is somebody else's.
    LeaseLost,
}

/// How a flight tells that its request has left, and that an answer is there.
pub(super) struct Signals {
    pub(super) leaves: oneshot::Sender<()>,
    pub(super) answered: oneshot::Sender<()>,
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> Flight<Q> {
    /// Posts the event and records what became of it.
    pub(super) async fn fly(self, place: &mut Place, signals: Signals) -> Landing {
        let clock = &self.sender.shared.clock;
        let (started_at, began) = (clock.now(), Instant::now());
        let reply = match self.post(place, signals.leaves).await {
            Ok(Some(reply)) => reply,
            Ok(None) => return Landing::Unknown,
            Err(error) => {
                tracing::error!(event = %self.event.id, %error, "an event cannot be made");
                return Landing::StoreFails;
            }
        };
        drop(signals.answered);
        let duration = began.elapsed();
        self.log(&reply.reply, duration);
        let verdict = self.judge(&reply);
        let attempt = Attempt {
            event: self.event.number,
            resend: self.event.resend,
            url: self.url.clone(),
            reply: reply.reply,
            started_at,
            duration,
            is_slow: duration > self.sender.shared.settings.prompt,
            verdict,
        };
        self.record(attempt).await
    }

    /// What came back; None when interrupted. A panic is a failed attempt, so that it does not come again at once.
    async fn post(
        &self,
        place: &mut Place,
        leaves: oneshot::Sender<()>,
    ) -> Result<Option<Reply>, StoreError> {
        let posting = async {
            let body = event_body(&*self.sender.queue, &self.lane.app_id, &self.event).await?;
            let letter = self.letter(body, leaves);
            tokio::select! {
                reply = self.await_reply(letter, place) => Ok(Some(reply)),
                () = self.shutdown.aborting() => Ok(None),
            }
        };
        let posted = AssertUnwindSafe(posting).catch_unwind().await;
        posted.unwrap_or(Ok(Some(Reply {
            reply: PostReply::Nothing(PostFailure::Unreachable),
            asked: None,
        })))
    }

    /// A request that is not answered promptly leaves its place to others.
    async fn await_reply(&self, letter: Letter, place: &mut Place) -> Reply {
        let shared = &self.sender.shared;
        let mut posting = pin!(shared.poster.post(letter, || shared.clock.now()));
        if let Ok(reply) = timeout(shared.settings.prompt, posting.as_mut()).await {
            return reply;
        }
        shared.places.step_aside(place);
        posting.await
    }

    fn letter(&self, body: String, leaves: oneshot::Sender<()>) -> Letter {
        let timestamp = timestamp(self.sender.shared.clock.now());
        let signature = self.signers.sign(&self.event.id, timestamp, &body);
        let texts = [
            (WEBHOOK_ID, self.event.id.to_string()),
            (WEBHOOK_TIMESTAMP, timestamp.to_string()),
            (WEBHOOK_SIGNATURE, signature),
        ];
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, text) in texts {
            let value = HeaderValue::try_from(text).expect("ids, numbers and base64 are ASCII");
            headers.insert(name, value);
        }
        Letter {
            url: self.url.clone(),
            headers,
            body: body.into(),
            leaves,
        }
    }

    fn judge(&self, reply: &Reply) -> Verdict {
        let shared = &self.sender.shared;
        let delays: &[Duration] = match self.event.resend {
            Some(_) => &[],
            None => &shared.settings.retry_delays,
        };
        verdict(
            &reply.reply,
            reply.asked,
            self.event.attempts,
            delays,
            fastrand::f64().mul_add(2.0, -1.0),
            shared.clock.now(),
        )
    }

    /// A store that fails is asked again, for what arrived must not arrive twice. Asking late does no harm: the lease's token
    /// fences.
    async fn record(&self, attempt: Attempt) -> Landing {
        let began = Instant::now();
        let mut wait = RECORD_WAITS.0;
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
            wait = (wait * 2).min(RECORD_WAITS.1);
        }
    }

    fn is_too_late(&self, elapsed: Duration) -> bool {
        elapsed > self.sender.shared.settings.lease * 5
            || (self.shutdown.is_aborting() && elapsed > LAST_PATIENCE)
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

    /// Neither the URL, which may hold a token, nor the answer.
    fn log(&self, reply: &PostReply, duration: Duration) {
        let reply = match reply {
            PostReply::Answer { status, .. } => status.to_string(),
            PostReply::Nothing(failure) => failure.as_str().to_owned(),
        };
        tracing::debug!(app = %self.lane.app_id, event = %self.event.id, reply, ?duration, "an event was posted");
    }
}

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
