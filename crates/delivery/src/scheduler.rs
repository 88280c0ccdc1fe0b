//! Starts scheduled sends when they are due (CONTRACT 14).
//!
//! Any number of processes look for them, and a send is started by one of them: the store takes care of that. Each asks again and
//! again, so what waits survives every process, a send that was scheduled a moment ago is found in time, and a clock that was set
//! back or forth is noticed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use hato_domain::{SendId, UnixMillis};
use hato_service::ports::{Clock, ScheduledSend, StartSendOutcome, Store, StoreError};
use hato_service::{Notifier, jittered};

use crate::failure_log::FailureLog;
use crate::shutdown::Shutdown;

/// The longest time between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The wait after the store failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Sends that are looked at together.
const BATCH: u32 = 128;
/// From when on nothing more is started until the next poll: it may find what has become due meanwhile.
const MAX_POLL_DURATION: Duration = Duration::from_millis(500);
/// Sends that are started at the same time: they may share a commit.
const AT_A_TIME: usize = 8;

/// Starts what is due.
pub struct Scheduler {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    notifier: Notifier,
    failures: FailureLog,
}

impl Scheduler {
    /// A scheduler over `store` that tells `notifier` what it has queued.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, notifier: Notifier) -> Self {
        Self {
            store,
            clock,
            notifier,
            failures: FailureLog::new(
                "scheduled sends cannot be looked for",
                "scheduled sends are looked for again",
            ),
        }
    }

    /// Starts until asked to stop. What is being started then is finished.
    pub async fn run(self, shutdown: Shutdown) {
        loop {
            let next_look = self.failures.record(self.start_due().await);
            let wait = next_look.unwrap_or(RETRY_DELAY);
            tokio::select! {
                biased;
                () = shutdown.draining() => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Starts the sends that are due, and returns how long to wait until the next look.
    pub async fn start_due(&self) -> Result<Duration, StoreError> {
        let now = self.clock.now();
        let waiting = self.store.scheduled_sends(now, BATCH).await?;
        let next = waiting.iter().find(|send| send.due_at > now).cloned();
        let mut due: Vec<SendId> = due_at(waiting, now);
        let is_full = next.is_none() && due.len() >= BATCH as usize;
        if is_full {
            due = self.in_turns(due, now).await?;
        }
        let count = due.len();
        let due = stream::iter(due).take_until(tokio::time::sleep(MAX_POLL_DURATION));
        let starting = due.map(|send| self.start(send, now));
        let changed: Vec<bool> = starting.buffer_unordered(AT_A_TIME).collect().await;
        let is_behind = is_full || changed.len() < count;
        Ok(match next {
            _ if is_behind && changed.contains(&true) => Duration::ZERO,
            Some(next) => next.due_at.since(now).min(jittered(POLL_INTERVAL)),
            None => jittered(POLL_INTERVAL),
        })
    }

    /// With more due than one look starts, the turns of all apps come first: thousands of one app's keep no other's waiting.
    async fn in_turns(&self, due: Vec<SendId>, now: UnixMillis) -> Result<Vec<SendId>, StoreError> {
        let mut in_turns = self.store.due_sends_in_turns(now, BATCH).await?;
        let first: HashSet<SendId> = in_turns.iter().cloned().collect();
        in_turns.extend(due.into_iter().filter(|send| !first.contains(send)));
        Ok(in_turns)
    }

    /// Starts a send, and tells who goes on with it; whether it waits no more.
    async fn start(&self, send: SendId, now: UnixMillis) -> bool {
        match self.store.start_send(&send, now).await {
            Ok(StartSendOutcome::Queued) => self.notifier.notify(),
            Ok(StartSendOutcome::Ended(app)) => self.notifier.notify_event(&app),
            Ok(StartSendOutcome::NotWaiting) => return false,
            Ok(StartSendOutcome::Unreadable(error)) => {
                tracing::error!(%send, %error, "a scheduled send cannot be read: it is put off for an hour");
            }
            Err(error) => {
                tracing::error!(%send, %error, "a scheduled send cannot be started yet");
                return false;
            }
        }
        true
    }
}

fn due_at(waiting: Vec<ScheduledSend>, now: UnixMillis) -> Vec<SendId> {
    let due = waiting.into_iter().filter(|send| send.due_at <= now);
    due.map(|send| send.id).collect()
}
