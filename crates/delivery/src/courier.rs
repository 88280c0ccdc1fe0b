//! Carries a page's message to its recipients: encrypts a chunk while earlier chunks are on their way.

mod launch;
mod round;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::stream::{self, Stream, StreamExt as _};
use hato_domain::FailureReason;
use hato_service::ports::{ClaimedPage, Clock, Recipient, RecipientId};

use crate::answer::{Outcome, classify};
use crate::client::PushClient;
use crate::connector::NoConnection;
use crate::encryption::{EncryptionError, Encryptor};
use crate::gate::Closed;
use crate::pool::Undelivered;
use crate::roots::BadRoots;
use crate::settings::DeliverySettings;
use crate::vapid::{BadKey, Signer, Vapid};
pub use launch::Launch;
use round::{Addressed, Letter, Round};

/// Recipients encrypted at a time: at most about 2 ms of one core.
const CHUNK: usize = 32;

/// Pushes pages.
pub struct Courier {
    client: PushClient,
    encryptor: Encryptor,
    vapid: Vapid,
    clock: Arc<dyn Clock>,
    in_flight: usize,
}

/// A page's content, and to whom it goes.
#[derive(Clone, Copy)]
pub struct Mail<'a> {
    /// The page.
    pub page: &'a ClaimedPage,
    /// Its app's key pair.
    pub signer: &'a Signer,
    /// How long push services are to keep the message.
    pub ttl: Duration,
    /// To whom.
    pub recipients: &'a [Recipient],
    /// Told when they are on their way.
    pub launch: &'a Launch,
}

type Ready = (RecipientId, Result<Letter, Outcome>);

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
        mail: Mail<'a>,
    ) -> impl Stream<Item = (RecipientId, Outcome)> + 'a {
        let round = Arc::new(Round::new(mail));
        stream::iter(mail.recipients.chunks(CHUNK))
            .then(move |chunk| self.seal(Arc::clone(&round), chunk))
            .flat_map(stream::iter)
            .map(move |(recipient, letter)| {
                mail.launch.one();
                self.push(recipient, letter)
            })
            .buffer_unordered(self.in_flight)
    }

    /// Those of a chunk that it is worth encrypting for, with their messages, and what became of the others.
    async fn seal<'a>(&self, round: Arc<Round<'a>>, chunk: &'a [Recipient]) -> Vec<Ready> {
        let (mut addressed, mut ready) = (Vec::with_capacity(chunk.len()), Vec::new());
        for recipient in chunk {
            match self.address(&round, recipient) {
                Ok(one) => addressed.push(one),
                Err(outcome) => ready.push((recipient.id, Err(outcome))),
            }
        }
        ready.extend(self.encrypt(&round, addressed).await);
        ready
    }

    /// A chunk that the end of the runtime interrupts is left out, and so stays unknown.
    async fn encrypt<'a>(&self, round: &Round<'a>, addressed: Vec<Addressed<'a>>) -> Vec<Ready> {
        if addressed.is_empty() {
            return Vec::new();
        }
        let keys = addressed.iter().map(|one| one.recipient.keys.clone());
        let plaintext = round.plaintext.clone();
        match self.encryptor.encrypt(keys.collect(), plaintext).await {
            Ok(bodies) => addressed.into_iter().zip(bodies).map(letter).collect(),
            Err(interrupted) => {
                tracing::warn!(%interrupted, "a page is given back in part");
                Vec::new()
            }
        }
    }

    fn address<'a>(
        &self,
        round: &Round<'a>,
        recipient: &'a Recipient,
    ) -> Result<Addressed<'a>, Outcome> {
        let addressed = round.address(recipient, |origin| self.route(round, origin))?;
        addressed.route.way.look().map_err(turned_away)?;
        Ok(addressed)
    }

    /// What became of one recipient. A panic is its own misfortune: it counts as a failed attempt and takes nobody along.
    async fn push(
        &self,
        recipient: RecipientId,
        letter: Result<Letter, Outcome>,
    ) -> (RecipientId, Outcome) {
        let sending = async {
            match letter {
                Ok(letter) => self.send(&letter).await,
                Err(outcome) => outcome,
            }
        };
        let outcome = AssertUnwindSafe(sending).catch_unwind().await;
        (recipient, outcome.unwrap_or(LATER))
    }

    async fn send(&self, letter: &Letter) -> Outcome {
        let now = || self.clock.now();
        let (way, push) = (&letter.route.way, &letter.push);
        let outcome = match self.client.send(way, push, now).await {
            Ok(answer) => classify(&answer, now()),
            Err(error) => {
                tracing::debug!(host = %push.target.origin.host(), %error, "a push got no answer");
                unanswered(&error)
            }
        };
        if !matches!(outcome, Outcome::Sent { .. }) {
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

fn letter((addressed, body): (Addressed<'_>, Result<Bytes, EncryptionError>)) -> Ready {
    let recipient = addressed.recipient.id;
    (
        recipient,
        body.map(|body| addressed.with(body)).map_err(unsealed),
    )
}

fn unsealed(error: EncryptionError) -> Outcome {
    tracing::warn!(%error, "a message cannot be encrypted");
    match error {
        EncryptionError::Library => LATER,
        EncryptionError::TooLong | EncryptionError::NoPoint => NEVER,
    }
}

fn turned_away(closed: Closed) -> Outcome {
    match closed {
        Closed::Busy(wait) => Outcome::PutOff { wait },
        Closed::Silent => LATER,
    }
}

fn unanswered(error: &Undelivered) -> Outcome {
    match error {
        Undelivered::Closed(closed) => turned_away(*closed),
        Undelivered::NoConnection(NoConnection::Blocked) => BLOCKED,
        Undelivered::NoConnection(NoConnection::Unreachable(_)) | Undelivered::NoAnswer(_) => LATER,
    }
}
