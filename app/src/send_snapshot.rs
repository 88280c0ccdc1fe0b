//! A send and what is known of its failures, for its page and for those who listen to its progress.

use hato_domain::AppId;
use hato_service::access::MayManage;
use hato_service::ports::{SendFailures, SendRecord, SendStatus};
use hato_service::{Service, ServiceResult};

/// A send and its failures as they were at one time.
#[derive(Clone)]
pub struct SendSnapshot {
    app: AppId,
    pub send: SendRecord,
    failures: SendFailures,
    /// Recipients settled a second, lately.
    recent_rate: Option<i64>,
}

impl SendSnapshot {
    /// The send as it is now.
    pub async fn load(
        service: &Service,
        access: &MayManage,
        send: SendRecord,
    ) -> ServiceResult<Self> {
        let failures = service.failures(access, &send.id).await?;
        Ok(Self {
            app: access.app().clone(),
            send,
            failures,
            recent_rate: None,
        })
    }

    /// The send as it is now, given how it was before: its failures are read again when there are more, or when none could be
    /// looked at.
    pub async fn reload(
        self,
        service: &Service,
        access: &MayManage,
        send: SendRecord,
    ) -> ServiceResult<Self> {
        let is_same = failed(&send) == failed(&self.send);
        let was_read = !(self.failures.is_cut_short && self.failures.items.is_empty());
        if is_same && was_read {
            return Ok(Self { send, ..self });
        }
        Self::load(service, access, send).await
    }

    /// The same, with the rate that was measured.
    #[must_use]
    pub fn with_rate(self, recent_rate: Option<i64>) -> Self {
        Self {
            recent_rate,
            ..self
        }
    }

    /// The app whose send it is.
    pub fn app(&self) -> &AppId {
        &self.app
    }

    /// Drops the counts and keeps who could not be reached.
    pub fn into_failures(self) -> SendFailures {
        self.failures
    }

    /// Whether recipients are still to be settled.
    pub fn is_running(&self) -> bool {
        matches!(self.send.status, SendStatus::Queued | SendStatus::Sending)
    }

    /// Whether it waits for its time.
    pub fn is_scheduled(&self) -> bool {
        self.send.status == SendStatus::Scheduled
    }

    /// Recipients of which it is known what became of them.
    pub fn settled(&self) -> i64 {
        settled(&self.send)
    }

    /// How much of it is done, without those for whom it was cancelled; nothing of what is for nobody.
    pub fn percent(&self) -> Option<i64> {
        let recipients = Some(self.send.recipients).filter(|recipients| *recipients > 0)?;
        let done = self.settled() - self.send.counts.cancelled;
        Some(done.saturating_mul(100) / recipients)
    }

    /// Recipients a second: while it runs as measured lately, afterwards over all of its time. Unknown while nothing moves.
    pub fn rate(&self) -> Option<i64> {
        let rate = match self.elapsed_millis() {
            None => self.recent_rate?,
            Some(millis) => self.settled().saturating_mul(1_000) / millis.max(1),
        };
        (rate > 0).then_some(rate)
    }

    /// Seconds until it is done at this rate.
    pub fn seconds_left(&self) -> Option<i64> {
        let rest = self.send.recipients - self.settled();
        self.rate().map(|rate| rest / rate + 1)
    }

    /// Milliseconds from its acceptance, or from when it was due, to its end.
    pub fn elapsed_millis(&self) -> Option<i64> {
        let send = &self.send;
        let began = send.schedule.send_at().unwrap_or(send.created_at);
        let took = send.finished_at?.since(began);
        Some(i64::try_from(took.as_millis()).unwrap_or(i64::MAX))
    }
}

/// Recipients that finally failed.
fn failed(send: &SendRecord) -> i64 {
    send.counts.failed_expired + send.counts.failed_other
}

/// Recipients of which it is known what became of them.
pub fn settled(send: &SendRecord) -> i64 {
    let counts = send.counts;
    counts.sent + counts.failed_expired + counts.failed_other + counts.skipped + counts.cancelled
}
