//! The event that a form has just queued, as the page after it knows it.

use hato_domain::{EventType, UnixMillis};
use hato_service::ports::AttemptRecord;

use crate::request_context::RequestContext;

/// An event that is to be posted: the one with this id, or a test, whose id nobody knows yet.
pub struct QueuedEvent {
    event: Option<String>,
    since: UnixMillis,
}

impl QueuedEvent {
    /// What to add to the page's path after the event was queued at `now`; `event` names one that is posted again.
    pub fn query(event: Option<&str>, now: UnixMillis) -> String {
        let of = event.map_or_else(String::new, |event| format!("&of={event}"));
        format!("done=queued&since={}{of}", now.0)
    }

    /// The event that was queued before the browser came here.
    pub fn asked_for(ctx: &RequestContext) -> Option<Self> {
        let since = ctx.query("since")?.parse().ok()?;
        (ctx.query("done").as_deref() == Some("queued")).then(|| Self {
            event: ctx.query("of"),
            since: UnixMillis(since),
        })
    }

    /// The first attempt that was made since then, of those that are given newest first.
    pub fn attempt(&self, attempts: &[AttemptRecord]) -> Option<AttemptRecord> {
        let is_meant = |attempt: &&AttemptRecord| match &self.event {
            Some(event) => attempt.event_id.as_str() == event,
            None => attempt.kind == EventType::Test,
        };
        let mut since = attempts
            .iter()
            .rev()
            .filter(|it| it.started_at >= self.since);
        since.find(is_meant).cloned()
    }
}
