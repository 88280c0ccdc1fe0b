//! Carries a page's message to its recipients: encrypts a chunk while earlier chunks are on their way.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use hato_domain::{BrowserKeys, FailureReason};
use hato_service::ports::{ClaimedPage, Clock, Recipient, RecipientId};

use crate::answer::{Outcome, classify};
use crate::client::PushClient;
use crate::connector::NoConnection;
use crate::encryption::{EncryptionError, Encryptor};
use crate::origin::Target;
use crate::pool::Undelivered;
use crate::push::{PageHeaders, Push};
use crate::roots::BadRoots;
use crate::settings::DeliverySettings;
use crate::vapid::{BadKey, Signer, Vapid};

/// Recipients encrypted at a time: about 2 ms of one core.
const CHUNK: usize = 32;

/// Pushes pages.
pub struct Courier {
    client: PushClient,
    encryptor: Encryptor,
    vapid: Vapid,
    clock: Arc<dyn Clock>,
    in_flight: usize,
}

/// A page on its way.
struct Round<'a> {
    page: &'a ClaimedPage,
    signer: &'a Signer,
    headers: PageHeaders,
}

type Sealed = (Recipient, Result<Bytes, EncryptionError>);

impl Courier {
    /// One that goes by `settings`.
    pub fn new(settings: &DeliverySettings, clock: Arc<dyn Clock>) -> Result<Self, BadRoots> {
        Ok(Self {
            client: PushClient::new(settings)?,
            encryptor: Encryptor::new(),
            vapid: Vapid::new(settings.vapid_subject.clone()),
            clock,
            in_flight: settings.page_size as usize,
        })
    }

    /// The signer of the page's app; `open` gives the PKCS #8 document of its private key.
    pub fn signer<E: From<BadKey>>(
        &self,
        page: &ClaimedPage,
        open: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<Signer>, E> {
        self.vapid
            .signer(&page.app_id, || Ok(Signer::from_pkcs8(&open()?)?))
    }

    /// Closes connections that have become idle.
    pub fn tidy(&self) {
        self.client.tidy();
    }

    /// What becomes of each recipient, in the order in which it is known. A stream that is dropped leaves the rest unknown.
    pub fn deliver<'a>(
        &'a self,
        page: &'a ClaimedPage,
        signer: &'a Signer,
        ttl: Duration,
        recipients: Vec<Recipient>,
    ) -> impl Stream<Item = (RecipientId, Outcome)> + 'a {
        let headers = PageHeaders::new(ttl, page.urgency, page.topic.as_ref());
        let round = Arc::new(Round {
            page,
            signer,
            headers,
        });
        let plaintext = Bytes::copy_from_slice(page.payload.as_bytes());
        stream::iter(chunks(recipients))
            .then(move |chunk| self.seal(chunk, plaintext.clone()))
            .flat_map(stream::iter)
            .map(move |(recipient, body)| self.push(Arc::clone(&round), recipient, body))
            .buffer_unordered(self.in_flight)
    }

    /// A chunk that the end of the runtime interrupts is left out, and so stays unknown.
    async fn seal(&self, chunk: Vec<Recipient>, plaintext: Bytes) -> Vec<Sealed> {
        let keys: Vec<BrowserKeys> = chunk
            .iter()
            .map(|recipient| recipient.keys.clone())
            .collect();
        match self.encryptor.encrypt(keys, plaintext).await {
            Ok(bodies) => chunk.into_iter().zip(bodies).collect(),
            Err(interrupted) => {
                tracing::warn!(%interrupted, "a page is given back in part");
                Vec::new()
            }
        }
    }

    async fn push(
        &self,
        round: Arc<Round<'_>>,
        recipient: Recipient,
        body: Result<Bytes, EncryptionError>,
    ) -> (RecipientId, Outcome) {
        let outcome = match self.prepare(&round, &recipient, body) {
            Ok(push) => self.send(&push).await,
            Err(outcome) => outcome,
        };
        (recipient.id, outcome)
    }

    fn prepare(
        &self,
        round: &Round<'_>,
        recipient: &Recipient,
        body: Result<Bytes, EncryptionError>,
    ) -> Result<Push, Outcome> {
        let body = body.map_err(unsealed)?;
        let target = Target::of(&recipient.endpoint).map_err(|_| NEVER)?;
        let now = self.clock.now();
        let app = &round.page.app_id;
        let authorization = self
            .vapid
            .authorization(app, round.signer, &target.origin, now);
        let headers = round
            .headers
            .with(authorization.map_err(|_| LATER)?, &target);
        Ok(Push {
            target,
            headers,
            body,
        })
    }

    async fn send(&self, push: &Push) -> Outcome {
        let outcome = match self.client.send(push).await {
            Ok(answer) => classify(&answer, self.clock.now()),
            Err(Undelivered::NoConnection(NoConnection::Blocked)) => BLOCKED,
            Err(error) => {
                tracing::debug!(host = %push.target.origin.host(), %error, "a push got no answer");
                LATER
            }
        };
        if outcome != Outcome::Sent {
            tracing::debug!(host = %push.target.origin.host(), ?outcome, "a push was not taken");
        }
        outcome
    }
}

/// Nobody was reached; it may work later.
const LATER: Outcome = Outcome::Retry {
    reason: FailureReason::Unreachable,
    status: None,
    after: None,
};
/// The guard forbids the address.
const BLOCKED: Outcome = Outcome::Failed {
    reason: FailureReason::BlockedAddress,
    status: None,
};
/// No request can be made for this recipient.
const NEVER: Outcome = Outcome::Failed {
    reason: FailureReason::Refused,
    status: None,
};

fn unsealed(error: EncryptionError) -> Outcome {
    tracing::warn!(%error, "a message cannot be encrypted");
    match error {
        EncryptionError::Library => LATER,
        EncryptionError::TooLong | EncryptionError::NoPoint => NEVER,
    }
}

fn chunks(recipients: Vec<Recipient>) -> impl Iterator<Item = Vec<Recipient>> {
    let mut rest = recipients.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<Recipient> = rest.by_ref().take(CHUNK).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}
