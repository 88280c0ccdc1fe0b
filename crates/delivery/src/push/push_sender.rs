//! Sends a page's message to its recipients: encrypts a chunk while earlier chunks are on their way.

mod countdown;
mod page_context;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::stream::{self, Stream, StreamExt as _};
use hato_domain::FailureReason;
use hato_outbound::RootStoreError;
use hato_service::ports::{ClaimedPage, Clock, Recipient, RecipientId};

use crate::push::client::PushClient;
use crate::push::connector::ConnectError;
use crate::push::encryption::{EncryptionError, Encryptor};
use crate::push::limiter::Rejected;
use crate::push::pool::DeliveryError;
use crate::push::response::{PushOutcome, classify};
use crate::push::settings::DeliverySettings;
use crate::push::vapid::{MalformedKeyError, Signer, Vapid};
pub use countdown::DispatchCountdown;
use page_context::{PageContext, PreparedPush, RoutedRecipient};

/// Recipients encrypted at a time: at most about 2 ms of one core.
const CHUNK: usize = 32;

/// Pushes pages.
pub struct PushSender {
    client: PushClient,
    encryptor: Encryptor,
    vapid: Vapid,
    clock: Arc<dyn Clock>,
    in_flight: usize,
}

/// A page's content, and to whom it goes.
#[derive(Clone, Copy)]
pub struct PushJob<'a> {
    /// The page.
    pub page: &'a ClaimedPage,
    /// Its app's key pair.
    pub signer: &'a Signer,
    /// How long push services are to keep the message.
    pub ttl: Duration,
    /// To whom.
    pub recipients: &'a [Recipient],
    /// Told when they are on their way.
    pub countdown: &'a DispatchCountdown,
}

type Ready = (RecipientId, Result<PreparedPush, PushOutcome>);

impl PushSender {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings, clock: Arc<dyn Clock>) -> Result<Self, RootStoreError> {
        Ok(Self {
            client: PushClient::new(settings)?,
            encryptor: Encryptor::new(),
            vapid: Vapid::new(settings.vapid_subject.clone()),
            clock,
            in_flight: settings.page_size as usize,
        })
    }

    /// The signer of the page's app; `open` gives the PKCS #8 document of its private key.
    pub fn signer<E: From<MalformedKeyError>>(
        &self,
        page: &ClaimedPage,
        open: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<Signer>, E> {
        self.vapid
            .signer(&page.app_id, || Ok(Signer::from_pkcs8(&open()?)?))
    }

    /// Closes connections that have become idle.
    pub fn evict_idle(&self) {
        self.client.evict_idle();
    }

    /// What becomes of each recipient, in the order in which it is known. A stream that is dropped leaves the rest unknown.
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
                self.push(recipient, prepared)
            })
            .buffer_unordered(self.in_flight)
    }

    /// Those of a chunk that it is worth encrypting for, with their messages, and what became of the others.
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

    /// A chunk that the end of the runtime interrupts is left out, and so stays unknown.
    async fn encrypt<'a>(
        &self,
        context: &PageContext<'a>,
        routed: Vec<RoutedRecipient<'a>>,
    ) -> Vec<Ready> {
        if routed.is_empty() {
            return Vec::new();
        }
        let keys = routed.iter().map(|one| one.recipient.keys.clone());
        let plaintext = context.plaintext.clone();
        match self.encryptor.encrypt(keys.collect(), plaintext).await {
            Ok(bodies) => routed.into_iter().zip(bodies).map(prepare).collect(),
            Err(interrupted) => {
                tracing::warn!(%interrupted, "a page is given back in part");
                Vec::new()
            }
        }
    }

    fn route_recipient<'a>(
        &self,
        context: &PageContext<'a>,
        recipient: &'a Recipient,
    ) -> Result<RoutedRecipient<'a>, PushOutcome> {
        let routed = context.route_recipient(recipient, |origin| self.route(context, origin))?;
        routed.route.push_route.check().map_err(rejection)?;
        Ok(routed)
    }

    /// What became of one recipient. A panic counts as a failed attempt of this recipient alone.
    async fn push(
        &self,
        recipient: RecipientId,
        prepared: Result<PreparedPush, PushOutcome>,
    ) -> (RecipientId, PushOutcome) {
        let sending = async {
            match prepared {
                Ok(prepared) => self.send(&prepared).await,
                Err(outcome) => outcome,
            }
        };
        let outcome = AssertUnwindSafe(sending).catch_unwind().await;
        (recipient, outcome.unwrap_or(UNREACHABLE))
    }

    async fn send(&self, prepared: &PreparedPush) -> PushOutcome {
        let now = || self.clock.now();
        let (route, push) = (&prepared.route.push_route, &prepared.push);
        let outcome = match self.client.send(route, push, now).await {
            Ok(answer) => classify(&answer, now()),
            Err(error) => {
                tracing::debug!(host = %push.target.origin.host(), %error, "a push got no answer");
                delivery_failed(&error)
            }
        };
        if !matches!(outcome, PushOutcome::Sent { .. }) {
            tracing::debug!(host = %push.target.origin.host(), ?outcome, "a push was not taken");
        }
        outcome
    }
}

/// Nobody was reached; it may work later.
const UNREACHABLE: PushOutcome = PushOutcome::Retry {
    reason: FailureReason::Unreachable,
    status: None,
    after: None,
};
/// The address filter forbids the address.
const BLOCKED: PushOutcome = PushOutcome::Failed {
    reason: FailureReason::BlockedAddress,
    status: None,
};
/// No request can be made for this recipient.
const REFUSED: PushOutcome = PushOutcome::Failed {
    reason: FailureReason::Refused,
    status: None,
};

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
        EncryptionError::Library => UNREACHABLE,
        EncryptionError::TooLong | EncryptionError::NoPoint => REFUSED,
    }
}

fn rejection(rejected: Rejected) -> PushOutcome {
    match rejected {
        Rejected::Throttled(wait) => PushOutcome::Deferred { wait },
        Rejected::Unresponsive => UNREACHABLE,
    }
}

fn delivery_failed(error: &DeliveryError) -> PushOutcome {
    match error {
        DeliveryError::Rejected(rejected) => rejection(*rejected),
        DeliveryError::Connect(ConnectError::Blocked) => BLOCKED,
        DeliveryError::Connect(ConnectError::Unreachable(_)) | DeliveryError::Exchange(_) => {
            UNREACHABLE
        }
    }
}
