//! Sending: a notification is accepted when it is charged, recorded and queued on disk.

use hato_domain::wire::Notify;
use hato_domain::{Endpoint, ErrorCode, SendId};
use uuid::Uuid;

use crate::access::MaySend;
use crate::ports::{AcceptedSend, Audience, NewSend};
use crate::{Outcome, Service};

/// A send that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// `snd_…`.
    pub send_id: SendId,
    /// How many recipients it is queued for.
    pub queued: i64,
}

impl Service {
    /// Sends to every active subscription of the app, or to the one with the endpoint given (SPEC 4.8). Refuses with the
    /// codes of the notification's parts, `NOT_FOUND`, `MONTHLY_LIMIT_EXCEEDED`, and `CONFIG_ERROR` without an encryption key.
    pub async fn send(&self, access: &MaySend, notify: Notify) -> Outcome<Accepted> {
        self.secrets.sealer()?;
        let options = notify.options()?;
        let audience = match notify.endpoint.as_deref() {
            Some(endpoint) => Audience::One(Endpoint::parse(endpoint)?),
            None => Audience::Everyone,
        };
        let now = self.clock.now();
        self.accept(NewSend {
            id: SendId::from_uuid(Uuid::now_v7()),
            app_id: access.app().clone(),
            notification: notify.into_notification()?,
            options,
            audience,
            actor: access.actor().clone(),
            now,
            month: now.month(),
        })
        .await
    }

    async fn accept(&self, send: NewSend) -> Outcome<Accepted> {
        let send_id = send.id.clone();
        match self.store.accept_send(send).await? {
            AcceptedSend::Queued { recipients: queued } => {
                self.wake.ring();
                Ok(Accepted { send_id, queued })
            }
            AcceptedSend::NotFound => Err(ErrorCode::NotFound.into()),
            AcceptedSend::OverMonthlyLimit => Err(ErrorCode::MonthlyLimitExceeded.into()),
        }
    }
}
