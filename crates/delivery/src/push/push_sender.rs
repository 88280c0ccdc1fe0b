//! Pushes a page's message to its recipients: encrypts a chunk while earlier chunks are on their way.
//!
//! [`PushSender::deliver`] has the whole way in its order: chunk → route and limiter → encrypt → push → classify. One chunk of a page is
//! in line for encryption at a time, so a page of 500 recipients keeps a core from nobody.

mod deferred;
mod dispatch_countdown;
mod page_context;
mod page_forms;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::stream::{self, Stream, StreamExt as _};
use hato_domain::{FailureReason, PushHosts};
use hato_outbound::RootStoreError;
use hato_service::Unsealed;
use hato_service::ports::{ClaimedPage, Clock, Recipient, RecipientId, VapidKeyNumber};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::TRACED;
use crate::push::client::PushClient;
use crate::push::clock_fault::ClockFault;
use crate::push::encryption::{EncryptionError, Encryptor};
use crate::push::limiter::Rejected;
use crate::push::origin::Origin;
use crate::push::pool::error::{ConnectError, DeliveryError};
use crate::push::response::{DeferralCause, PushOutcome, PushResponse, classify};
use crate::push::settings::DeliverySettings;
use crate::push::snapshot::OriginSnapshot;
use crate::push::vapid::{Authorization, MalformedKeyError, Signer, Vapid};
pub use dispatch_countdown::DispatchCountdown;
use page_context::{PageContext, PageRoute, PreparedPush, RoutedRecipient};
pub use page_context::{PageSigners, PushJob};

/// Recipients that are encrypted at a time: four groups of eight agreements, and at most about 2 ms of one core.
const CHUNK: usize = 32;
/// How long a recipient stays away at least for whom there was no connection, or not in time.
const NO_CONNECTION_DELAY: Duration = Duration::from_secs(1);
/// The wait before what was refused for this machine's clock is tried again: somebody has to set it.
const CLOCK_FAULT_DELAY: Duration = Duration::from_mins(1);

/// Pushes the messages of any number of pages at a time.
pub struct PushSender {
    client: PushClient,
    encryptor: Encryptor,
    vapid: Vapid,
    push_hosts: PushHosts,
    clock: Arc<dyn Clock>,
    max_in_flight: usize,
    local_fault_delay: Duration,
    clock_fault: ClockFault,
}

/// A recipient with the message to push, or with an outcome already.
type Ready = (RecipientId, Result<PreparedPush, PushOutcome>);

impl PushSender {
    /// A sender with the bounds and the VAPID subject of `settings`.
    pub fn new(settings: &DeliverySettings, clock: Arc<dyn Clock>) -> Result<Self, RootStoreError> {
        Ok(Self {
            client: PushClient::new(settings)?,
            encryptor: Encryptor::new(),
            vapid: Vapid::new(settings.vapid_subject.clone()),
            push_hosts: settings.push_hosts.clone(),
            clock,
            max_in_flight: settings.page_size as usize,
            local_fault_delay: settings.local_fault_retry_delay.max(NO_CONNECTION_DELAY),
            clock_fault: ClockFault::new(),
        })
    }

    /// The signer of one of the VAPID keys of the page's app, if it is kept.
    pub fn kept_signer(&self, page: &ClaimedPage, key: VapidKeyNumber) -> Option<Arc<Signer>> {
        self.vapid.kept_signer(&(page.app_id.clone(), key))
    }

    /// The signer with the PKCS #8 document of the key's private half, kept from now on.
    pub fn keep_signer(
        &self,
        page: &ClaimedPage,
        key: VapidKeyNumber,
        document: &Unsealed,
    ) -> Result<Arc<Signer>, MalformedKeyError> {
        let signer = Signer::from_pkcs8(document)?;
        Ok(self.vapid.keep_signer((page.app_id.clone(), key), signer))
    }

    /// Closes connections that have become idle, for as long as it is polled.
    pub async fn close_idle(&self) {
        self.client.close_idle().await;
    }

    /// What is in work at each origin.
    pub fn origins(&self) -> Vec<OriginSnapshot> {
        self.client.origins()
    }

    /// The outcome of each recipient, in the order in which outcomes are known. A stream that is dropped leaves the rest unknown.
    ///
    /// The stream makes the next chunk only while fewer than a page of pushes are in flight, and makes one at a time; pushes run
    /// within it and not in tasks of their own, so whoever drops it stops them all.
    pub fn deliver<'a>(
        &'a self,
        job: PushJob<'a>,
    ) -> impl Stream<Item = (RecipientId, PushOutcome)> + 'a {
        let context = Arc::new(PageContext::new(job));
        stream::iter(job.recipients.chunks(CHUNK))
            .then(move |chunk| self.prepare_chunk(Arc::clone(&context), chunk))
            .flat_map(stream::iter)
            .map(move |(recipient, prepared)| {
                job.countdown.dispatched();
                let span = push_span(&job, &prepared);
                let pushing = self.push(recipient, prepared).instrument(span.clone());
                pushing.inspect(move |(_, outcome)| {
                    span.record("outcome", outcome.as_str());
                })
            })
            .buffer_unordered(self.max_in_flight)
    }

    /// Those of a chunk that are worth encrypting for, with their messages, and the outcomes of the others.
    async fn prepare_chunk<'a>(
        &self,
        context: Arc<PageContext<'a>>,
        chunk: &'a [Recipient],
    ) -> Vec<Ready> {
        let (mut routed, mut ready) = (Vec::with_capacity(chunk.len()), Vec::new());
        for recipient in chunk {
            match self.route_recipient(&context, recipient) {
                Ok(one) => routed.push(one),
                Err(outcome) => ready.push((recipient.id, Err(outcome))),
            }
        }
        ready.extend(self.encrypt(&context, routed).await);
        ready
    }

    /// The messages of a chunk. One that the end of the runtime interrupts has none, so that its recipients stay unknown.
    async fn encrypt<'a>(
        &self,
        context: &PageContext<'a>,
        routed: Vec<RoutedRecipient<'a>>,
    ) -> Vec<Ready> {
        if routed.is_empty() {
            return Vec::new();
        }
        let messages = routed.iter().map(|one| context.message_to(one));
        let bodies = self.encryptor.encrypt(messages.collect()).await;
        let Some(bodies) = bodies else {
            tracing::warn!("encryption was interrupted: a page is released in part");
            return Vec::new();
        };
        routed.into_iter().zip(bodies).map(prepare).collect()
    }

    fn route_recipient<'a>(
        &self,
        context: &PageContext<'a>,
        recipient: &'a Recipient,
    ) -> Result<RoutedRecipient<'a>, PushOutcome> {
        let routed =
            context.route_recipient(recipient, |origin, key| self.route(context, origin, key))?;
        let checked = routed.check();
        checked.map_err(|error| self.not_delivered(&error))?;
        Ok(routed)
    }

    /// The route of the page to an origin, and the headers of all that goes there. A browser may have been registered before the
    /// operator named the hosts that may be pushed to.
    fn route(
        &self,
        context: &PageContext<'_>,
        origin: &Origin,
        key: VapidKeyNumber,
    ) -> Result<PageRoute, PushOutcome> {
        if !self.push_hosts.permits(&*origin.host) {
            return Err(PushOutcome::BLOCKED);
        }
        let PushJob { page, signers, .. } = context.job;
        let (number, signer) = signers.find(key);
        let (key, now) = ((page.app_id.clone(), *number), self.clock.now());
        let time = (now, self.clock_fault.read(now));
        let authorization = self.vapid.authorization(&key, signer, origin, time);
        let Authorization { header, clock } =
            authorization.map_err(|_| PushOutcome::UNREACHABLE)?;
        Ok(PageRoute {
            push_route: self.client.route(&page.app_id, origin),
            headers: Arc::new(context.headers.with(header, origin)),
            clock,
        })
    }

    /// What became of one recipient. A panic counts as a failed attempt of this recipient alone.
    async fn push(
        &self,
        recipient: RecipientId,
        prepared: Result<PreparedPush, PushOutcome>,
    ) -> (RecipientId, PushOutcome) {
        let pushing = async {
            match prepared {
                Ok(prepared) => self.push_message(&prepared).await,
                Err(outcome) => outcome,
            }
        };
        let outcome = AssertUnwindSafe(pushing).catch_unwind().await;
        (recipient, outcome.unwrap_or(PushOutcome::UNREACHABLE))
    }

    async fn push_message(&self, prepared: &PreparedPush) -> PushOutcome {
        let now = || self.clock.now();
        let (route, push) = (&prepared.route.push_route, &prepared.push);
        let outcome = match self.client.push(route, push, now).await {
            Ok(response) => self.judge(&response, prepared),
            Err(error) => {
                tracing::debug!(host = %push.target.origin.host, %error, "a push got no response");
                self.not_delivered(&error)
            }
        };
        if !matches!(outcome, PushOutcome::Sent { .. }) {
            tracing::debug!(host = %push.target.origin.host, ?outcome, "a push was not taken");
        }
        outcome
    }

    /// What the response means; what is refused for the time of the clock that has signed is nobody's failure.
    fn judge(&self, response: &PushResponse, prepared: &PreparedPush) -> PushOutcome {
        let outcome = classify(response, &prepared.push.target, self.clock.now());
        let clock = prepared.route.clock;
        match &outcome {
            PushOutcome::Sent { .. } => self.clock_fault.prove(clock),
            PushOutcome::Failed {
                reason: FailureReason::Refused,
                ..
            } if self.clock_fault.is_cause(response, clock) => {
                return PushOutcome::Deferred {
                    wait: CLOCK_FAULT_DELAY,
                    cause: DeferralCause::ThisMachine,
                };
            }
            _ => {}
        }
        outcome
    }

    fn not_delivered(&self, error: &DeliveryError) -> PushOutcome {
        let deferred = |wait, cause| PushOutcome::Deferred { wait, cause };
        match error {
            DeliveryError::Rejected(Rejected::Paused(wait)) => {
                deferred(*wait, DeferralCause::PushService)
            }
            DeliveryError::NoConnection | DeliveryError::TooLate => {
                deferred(NO_CONNECTION_DELAY, DeferralCause::ThisMachine)
            }
            DeliveryError::Connect(ConnectError::Local(_)) => {
                deferred(self.local_fault_delay, DeferralCause::ThisMachine)
            }
            DeliveryError::Connect(ConnectError::Blocked) => PushOutcome::BLOCKED,
            DeliveryError::Rejected(Rejected::Unresponsive)
            | DeliveryError::Connect(ConnectError::Unreachable(_))
            | DeliveryError::Exchange(_) => PushOutcome::unreachable(&error.to_string()),
        }
    }
}

/// The span of one push, where there are few: those of a broadcast would drown all others.
fn push_span(job: &PushJob<'_>, prepared: &Result<PreparedPush, PushOutcome>) -> Span {
    match prepared {
        Ok(prepared) if job.recipients.len() <= CHUNK => {
            let host = &prepared.push.target.origin.host;
            tracing::info_span!(target: TRACED, "push", %host, outcome = Empty)
        }
        _ => Span::none(),
    }
}

fn prepare((routed, body): (RoutedRecipient<'_>, Result<Bytes, EncryptionError>)) -> Ready {
    let recipient = routed.recipient.id;
    (
        recipient,
        body.map(|body| routed.with_body(body))
            .map_err(encryption_failed),
    )
}

fn encryption_failed(error: EncryptionError) -> PushOutcome {
    tracing::warn!(%error, "a message cannot be encrypted");
    match error {
        EncryptionError::Library => PushOutcome::UNREACHABLE,
        EncryptionError::TooLong | EncryptionError::NoPoint => PushOutcome::REFUSED,
    }
}
