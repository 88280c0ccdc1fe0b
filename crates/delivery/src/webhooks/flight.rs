//! One event's way to its receiver.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt as _;
use hato_domain::{PostFailure, UnixMillis};
use hato_service::event_body;
use hato_service::ports::{
    Attempt, KnownRecipients, LaneLease, PostReply, Posting, StoreError, Verdict, WebhookEvent,
    WebhookQueue,
};
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::WebhookSender;
use super::departure::Signals;
use super::keyring::Locked;
use super::places::Place;
use super::post::{Letter, Reply};
use super::room::{Room, needed};
use super::schedule::verdict;
use super::seen::SeenWebhook;
use super::signature::timestamp;
use crate::shutdown::Shutdown;

/// An event on its way.
pub(super) struct Flight<Q: ?Sized> {
    pub(super) sender: WebhookSender<Q>,
    pub(super) lane: LaneLease,
    pub(super) event: WebhookEvent,
    pub(super) webhook: Arc<SeenWebhook>,
    pub(super) shutdown: Shutdown,
}

/// How an event's flight ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Landing {
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
    Locked,
    /// It could not even be made, or not be recorded: the store fails.
    StoreFails,
    /// The lane is somebody else's.
    LeaseLost,
}

/// Why no request was made.
#[derive(Debug, thiserror::Error)]
enum Hindrance {
    #[error("it cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error("no signing secret: {0}")]
    Locked(#[from] Locked),
}

impl<Q: WebhookQueue + Send + Sync + ?Sized + 'static> Flight<Q> {
    /// Posts the event and records what became of it. A panic is a failed attempt, so that it does not come again at once.
    pub(super) async fn fly(self, place: &mut Place, signals: Signals) -> Landing {
        let attempt = AssertUnwindSafe(self.attempt(place, signals.leaves)).catch_unwind();
        let attempt = match attempt.await {
            Ok(Ok(Some(attempt))) => attempt,
            Ok(Ok(None)) => return Landing::Unknown,
            Ok(Err(hindrance)) => return self.hindered(&hindrance),
            Err(_) => self.panicked(),
        };
        // Nobody may be interested any more.
        let _ = signals.made.send(());
        self.record(attempt).await
    }

    fn hindered(&self, hindrance: &Hindrance) -> Landing {
        tracing::error!(app = %self.lane.app_id, event = %self.event.id, %hindrance, "an event waits");
        match hindrance {
            Hindrance::Store(_) => Landing::StoreFails,
            Hindrance::Locked(_) => Landing::Locked,
        }
    }

    /// Posts the event; None when interrupted, or when there is nowhere to post it to any more.
    async fn attempt(
        &self,
        place: &mut Place,
        leaves: oneshot::Sender<usize>,
    ) -> Result<Option<Attempt>, Hindrance> {
        let places = &self.sender.shared.places;
        let room = places.room(place, needed(&self.event.content)).await;
        let Some((started_at, posting)) = self.posting().await? else {
            return Ok(None);
        };
        let signers = self.sender.signers(&self.lane, &posting.webhook).await?;
        let body = event_body(&self.lane.app_id, &self.event, &posting.recipients)?;
        drop(posting);
        let aside = Arc::downgrade(&room);
        let began = Instant::now();
        let signature = signers.sign(&self.event.id, timestamp(started_at), &body);
        let letter = Letter {
            url: self.url().to_owned(),
            headers: self.headers(started_at, &signature),
            body: room.house(body),
            leaves,
        };
        tokio::select! {
            reply = self.reply(letter, place, &aside) => {
                Ok(Some(self.judged(reply, signature, started_at, began.elapsed())))
            }
            () = self.shutdown.aborting() => Ok(None),
        }
    }

    /// What the event takes with it, and when that was so; None when there is nowhere to post it to any more. The time is before
    /// the secrets are read: what is dated after a rotation has both signatures.
    async fn posting(&self) -> Result<Option<(UnixMillis, Posting)>, StoreError> {
        let (shared, seen) = (&self.sender.shared, &self.webhook);
        let named = self.event.content.recipients();
        let at_hand = if named.is_empty() {
            Some(KnownRecipients::default())
        } else {
            shared.handover.take(&self.event.id)
        };
        let at_hand = match at_hand {
            Some(recipients) if seen.is_fresh() => {
                let webhook = seen.webhook.clone();
                let posting = Posting {
                    webhook,
                    recipients,
                };
                return Ok(Some((seen.at, posting)));
            }
            at_hand => at_hand,
        };
        let unknown = if at_hand.is_some() { &[] } else { &*named };
        let now = shared.clock.now();
        let posting = self.sender.queue.posting(&self.lane, unknown, now).await?;
        let posting = posting.filter(|posting| posting.webhook.url == self.url());
        Ok(posting.map(|posting| {
            let recipients = at_hand.unwrap_or(posting.recipients);
            let posting = Posting {
                recipients,
                ..posting
            };
            (now, posting)
        }))
    }

    fn url(&self) -> &str {
        &self.webhook.webhook.url
    }

    /// What comes back. A request that is not answered promptly leaves its place to others.
    async fn reply(&self, letter: Letter, place: &mut Place, room: &Weak<Room>) -> Reply {
        let shared = &self.sender.shared;
        let mut posting = pin!(shared.poster.post(letter, || shared.clock.now()));
        if let Ok(reply) = timeout(shared.settings.prompt, posting.as_mut()).await {
            return reply;
        }
        shared.places.step_aside(place, room);
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
        let reply = Reply {
            reply: PostReply::Nothing(PostFailure::Unreachable),
            asked: None,
        };
        let now = self.sender.shared.clock.now();
        self.judged(reply, String::new(), now, Duration::ZERO)
    }

    fn judged(
        &self,
        reply: Reply,
        signature: String,
        started_at: UnixMillis,
        duration: Duration,
    ) -> Attempt {
        Attempt {
            event: self.event.number,
            resend: self.event.resend,
            url: self.url().to_owned(),
            signature,
            verdict: self.judge(&reply),
            reply: reply.reply,
            started_at,
            duration,
            is_slow: duration > self.sender.shared.settings.prompt,
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
}

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
