//! An app's webhook as the last look at its outbox has shown it.

use std::time::Duration;

use hato_domain::UnixMillis;
use hato_service::ports::WebhookRecord;
use tokio::time::Instant;

/// How long it counts. What changes about it holds for every event that is settled later, for they are seen with it.
const MAX_AGE: Duration = Duration::from_millis(250);

/// The webhook, and when it was like that.
pub(super) struct CachedWebhook {
    pub(super) webhook: WebhookRecord,
    /// No later than it was read: what is dated so needs no secret that is newer.
    pub(super) at: UnixMillis,
    since: Instant,
}

impl CachedWebhook {
    /// As it was read after `at` and `since`, which are the same moment.
    pub(super) fn new(webhook: WebhookRecord, at: UnixMillis, since: Instant) -> Self {
        Self { webhook, at, since }
    }

    /// Whether it was seen just now, with a secret, so that nobody needs to look again.
    pub(super) fn is_fresh(&self) -> bool {
        self.webhook.secrets.current.is_some() && self.since.elapsed() < MAX_AGE
    }
}
