//! Sending: a notification is accepted when it is charged, recorded and queued on disk.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::wire::{Notify, NotifyBatch};
use hato_domain::{Endpoint, ErrorCode, IdempotencyKey, Notification, SendId, UnixMillis};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::access::{MayManage, MaySend};
use crate::ports::{
    AcceptSendOutcome, Audience, IdempotencyEntry, NewSend, SendFailures, SendRecord, SentContent,
};
use crate::{Service, ServiceError, ServiceResult};

/// For how long a repeated request gets the first answer (CONTRACT 6).
pub const IDEMPOTENCY_TTL: Duration = Duration::from_hours(24);

/// Failures of a send that are listed: whoever makes up endpoints can make up any number of push services.
const MAX_LISTED_FAILURES: i64 = 50;

/// A request that its client has named, so that it may repeat it.
pub struct IdempotentRequest {
    /// The name that the client gave to the request.
    pub key: IdempotencyKey,
    /// The path that it was sent to, without the app.
    pub path: &'static str,
    /// SHA-256 of its body, byte for byte.
    pub body_hash: [u8; 32],
}

impl IdempotentRequest {
    /// The request with this body, of which only the hash is kept.
    pub fn new(key: IdempotencyKey, path: &'static str, body: &[u8]) -> Self {
        Self {
            key,
            path,
            body_hash: Sha256::digest(body).into(),
        }
    }
}

/// The response to a send that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendReceipt {
    /// The send's id, `snd_…`.
    pub send_id: SendId,
    /// How many recipients it is queued for.
    pub queued: i64,
    /// When it is due, if it was scheduled; it has no recipients until then.
    pub send_at: Option<UnixMillis>,
    /// Whether this is the response to an earlier, equal request, and nothing was sent this time.
    pub replayed: bool,
}

impl Service {
    /// Sends to every active subscription of the app, to the one with the endpoint given (SPEC 4.8), or to a part of them
    /// (CONTRACT 12). Refuses with the codes of the notification's parts, `INVALID_INPUT` for a schedule that is not ahead,
    /// `IDEMPOTENCY_CONFLICT`, `NOT_FOUND`, `RATE_LIMITED` for an app that sends too often or has too many sends scheduled,
    /// `MONTHLY_LIMIT_EXCEEDED`, and `CONFIG_ERROR` without an encryption key.
    pub async fn send(
        &self,
        access: &MaySend,
        notify: Notify,
        request: Option<IdempotentRequest>,
    ) -> ServiceResult<SendReceipt> {
        let audience = match (notify.filter()?, notify.endpoint.as_deref()) {
            (Some(filter), _) => Audience::Matching(filter),
            (None, Some(endpoint)) => Audience::One(Endpoint::parse(endpoint)?),
            (None, None) => Audience::Everyone,
        };
        self.accept(access, notify, audience, request).await
    }

    /// Sends to every active subscription of the app, or to a part of them; a member `endpoint` is `INVALID_INPUT`, never a broadcast
    /// by mistake (SPEC 4.10, CONTRACT 4).
    pub async fn broadcast(
        &self,
        access: &MaySend,
        notify: Notify,
        request: Option<IdempotentRequest>,
    ) -> ServiceResult<SendReceipt> {
        refuse_endpoint(&notify)?;
        let audience = notify.filter()?;
        let audience = audience.map_or(Audience::Everyone, Audience::Matching);
        self.accept(access, notify, audience, request).await
    }

    /// Sends to the active subscriptions among up to 100 endpoints (SPEC 4.9).
    pub async fn send_batch(
        &self,
        access: &MaySend,
        batch: NotifyBatch,
        request: Option<IdempotentRequest>,
    ) -> ServiceResult<SendReceipt> {
        let (endpoints, payload) = batch.into_parts()?;
        refuse_endpoint(&payload)?;
        self.accept(access, payload, Audience::Listed(endpoints), request)
            .await
    }

    /// The app's send with this id; `NOT_FOUND` for any other.
    pub async fn sent(&self, access: &MayManage, send: &str) -> ServiceResult<SendRecord> {
        let send = SendId::parse(send)?;
        let found = self.store.send_of(access.app(), &send).await?;
        Ok(found.ok_or(ErrorCode::NotFound)?)
    }

    /// What the app's send with this id said; `NOT_FOUND` for any other.
    pub async fn sent_content(&self, access: &MayManage, send: &str) -> ServiceResult<SentContent> {
        let send = SendId::parse(send)?;
        let found = self.store.content_of(access.app(), &send).await?;
        Ok(found.ok_or(ErrorCode::NotFound)?)
    }

    /// Why and where the app's send failed so far, most recipients first; of many the first 50. They are cut short when the
    /// account has other heavy reads under way.
    pub async fn failures(&self, access: &MayManage, send: &SendId) -> ServiceResult<SendFailures> {
        let app = access.app();
        let failures = self.store.failures_of(app, send, MAX_LISTED_FAILURES);
        match self.heavy_reads.permit(access.account()).await {
            Some(_permit) => Ok(failures.await?),
            None => Ok(SendFailures::unscanned()),
        }
    }

    /// Takes what nobody has claimed yet of a send out of the queue, and returns for how many recipients; `NOT_FOUND`
    /// when the app has no such send. Counting them may take seconds. Once begun it goes on when the caller goes away, so an
    /// account cancels one send after the other.
    pub async fn cancel(&self, access: &MayManage, send: &str) -> ServiceResult<i64> {
        let (app, send) = (access.app().clone(), SendId::parse(send)?);
        let (store, notifier) = (Arc::clone(&self.store), self.notifier.clone());
        let permit = self.cancellations.wait_for_permit(access.account()).await;
        let now = self.clock.now();
        let cancelling = self.unattended.spawn(async move {
            let cancelled = store.cancel_send(&app, &send, now).await;
            drop(permit);
            notifier.notify_event(&app);
            cancelled
        });
        // Where it panicked is in the log already; what a panic says may hold anybody's data.
        let panicked = |_| ServiceError::internal("the cancellation panicked");
        let cancelled = cancelling.await.map_err(panicked)??;
        Ok(cancelled.ok_or(ErrorCode::NotFound)?)
    }

    async fn accept(
        &self,
        access: &MaySend,
        notify: Notify,
        audience: Audience,
        request: Option<IdempotentRequest>,
    ) -> ServiceResult<SendReceipt> {
        self.secrets.sealer()?;
        let now = self.clock.now();
        let (options, schedule) = (notify.options()?, notify.schedule()?);
        let notification = sized(notify, access).map_err(|code| match code {
            // Of what is wrong, the size is told last.
            ErrorCode::PayloadTooLarge if !schedule.is_ahead_of(now) => ErrorCode::InvalidInput,
            code => code,
        })?;
        let send = NewSend {
            id: SendId::from_uuid(Uuid::now_v7()),
            app_id: access.app().clone(),
            account_id: access.account().clone(),
            options,
            schedule,
            notification,
            audience,
            actor: access.actor().clone(),
            idempotency: request.map(|request| IdempotencyEntry {
                key: request.key,
                path: request.path,
                body_hash: request.body_hash,
            }),
            max_per_minute: self.settings.app_limits.sends_per_minute,
            now,
        };
        let (send_id, send_at) = (send.id.clone(), send.schedule.send_at());
        let accepted = self.store.accept_send(send).await?;
        self.receipt(access, accepted, (send_id, send_at))
    }

    fn receipt(
        &self,
        access: &MaySend,
        accepted: AcceptSendOutcome,
        (send_id, send_at): (SendId, Option<UnixMillis>),
    ) -> ServiceResult<SendReceipt> {
        let (send_id, queued, replayed) = match accepted {
            AcceptSendOutcome::Queued { recipients: queued } => {
                if queued == 0 {
                    self.notifier.notify_event(access.app());
                } else {
                    self.notifier.notify();
                }
                (send_id, queued, false)
            }
            AcceptSendOutcome::Scheduled => (send_id, 0, false),
            AcceptSendOutcome::Replayed {
                send_id,
                recipients: queued,
            } => (send_id, queued, true),
            AcceptSendOutcome::Conflict => return Err(ErrorCode::IdempotencyConflict.into()),
            AcceptSendOutcome::NotFound => return Err(ErrorCode::NotFound.into()),
            AcceptSendOutcome::NotAhead => return Err(ErrorCode::InvalidInput.into()),
            AcceptSendOutcome::OverRateLimit | AcceptSendOutcome::TooManyScheduled => {
                return Err(ErrorCode::RateLimited.into());
            }
            AcceptSendOutcome::OverMonthlyLimit => {
                return Err(ErrorCode::MonthlyLimitExceeded.into());
            }
        };
        Ok(SendReceipt {
            send_id,
            queued,
            send_at,
            replayed,
        })
    }
}

/// The notification, which is small enough in every form that would go out.
fn sized(notify: Notify, access: &MaySend) -> Result<Notification, ErrorCode> {
    let notification = notify.into_notification()?;
    notification.check_forms(access.messages())?;
    Ok(notification)
}

fn refuse_endpoint(notify: &Notify) -> Result<(), ErrorCode> {
    match notify.endpoint {
        Some(_) => Err(ErrorCode::InvalidInput),
        None => Ok(()),
    }
}
