//! What starting scheduled sends needs of the store (CONTRACT 14).

use async_trait::async_trait;
use hato_domain::{AppId, SendId, UnixMillis};

use super::StoreError;

/// A send that waits for its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledSend {
    /// The send's id, `snd_…`.
    pub id: SendId,
    /// When it is due, by the clock of who has asked.
    pub due_at: UnixMillis,
}

/// What became of a scheduled send that was to be started.
#[derive(Debug)]
pub enum StartSendOutcome {
    /// It is charged and queued.
    Queued,
    /// It is over: it was for nobody, or the month has no room for it. An event for the app's webhook may wait.
    Ended(AppId),
    /// It waits no more or is just being started, or its app is under review or gone; nothing was changed.
    NotWaiting,
    /// It cannot be read. It was put off for an hour, so that others are started.
    Unreadable(StoreError),
}

/// What the store does with scheduled sends.
#[async_trait]
pub trait ScheduledSendStore {
    /// At most `limit` of the scheduled sends, those first that are due first, without those of apps that are deleted or under review.
    async fn scheduled_sends(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<ScheduledSend>, StoreError>;

    /// At most `limit` of those that are due at `now`, app by app: the first of each app, then the second of each, up to the eighth.
    async fn due_sends_in_turns(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<Vec<SendId>, StoreError>;

    /// Starts a scheduled send that is due at `now`: takes its recipients of this moment, charges the account's month, and queues it.
    /// Over the plan's limit it is refused instead. It happens once, whoever else starts it at the same time.
    async fn start_send(
        &self,
        send: &SendId,
        now: UnixMillis,
    ) -> Result<StartSendOutcome, StoreError>;
}
