//! Listening to an app's events as they are written (CONTRACT 16).

use std::sync::Arc;
use std::time::Duration;

use hato_domain::{AppId, ErrorCode};
use tokio_util::task::TaskTracker;

use crate::access::MayManage;
use crate::ports::{Clock, ListenerRecord, Store, WebhookEvent};
use crate::{Service, ServiceResult, event_body};

/// How long a listener is one without being renewed: the process that had it may have died.
pub const LISTENER_TTL: Duration = Duration::from_secs(15);

/// How long events are kept for listeners.
pub const LISTENER_EVENT_TTL: Duration = Duration::from_mins(5);

/// How far a listener may be behind before it ends, rather than miss what is removed.
const MAX_LAG: Duration = Duration::from_mins(4);

/// Most events that are read at a time: as they are stored, one of a full page takes up to 8 KB.
const MAX_EVENTS_PER_READ: u32 = 8;

/// Somebody who listens to an app. Its place among the few that there are is free again when this is dropped, or was not renewed for
/// [`LISTENER_TTL`].
pub struct EventListener {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// For giving up the place, which goes on when nobody listens any more.
    unattended: TaskTracker,
    app: AppId,
    record: ListenerRecord,
}

impl Service {
    /// Listens to the app's events from now on, whether it has a webhook or not; `RATE_LIMITED` when it has four listeners, or its
    /// account 32.
    pub async fn listen(&self, access: &MayManage) -> ServiceResult<EventListener> {
        let (app, now) = (access.app().clone(), self.clock.now());
        let added = self.store.add_listener(&app, now, now.plus(LISTENER_TTL));
        Ok(EventListener {
            record: added.await?.ok_or(ErrorCode::RateLimited)?,
            store: Arc::clone(&self.store),
            clock: Arc::clone(&self.clock),
            unattended: self.unattended.clone(),
            app,
        })
    }
}

impl EventListener {
    /// The next events, as many as are there and fit, as they are stored: they name recipients by number, so that few bytes wait for
    /// whoever takes them slowly.
    pub async fn next_events(&mut self) -> ServiceResult<Vec<WebhookEvent>> {
        let after = self.record.after;
        let events = self
            .store
            .listener_events(&self.app, after, MAX_EVENTS_PER_READ);
        let events = events.await?;
        if let Some(last) = events.last() {
            self.record.after = last.number;
        }
        Ok(events)
    }

    /// The event as the app's webhook would get it, in JSON, for which it takes up to [`crate::max_event_body_memory`]; `None` when the
    /// listener has fallen so far behind that it would miss some that follow.
    pub async fn body(&self, event: &WebhookEvent) -> ServiceResult<Option<String>> {
        if event.created_at < self.clock.now().minus(MAX_LAG) {
            return Ok(None);
        }
        let recipients = event.content.recipients();
        let recipients = self.store.reported_recipients(&recipients).await?;
        Ok(Some(event_body(&self.app, event, &recipients)?))
    }

    /// Stays a listener for another [`LISTENER_TTL`]; `false` when it is none any more.
    pub async fn renew(&self) -> ServiceResult<bool> {
        let now = self.clock.now();
        let renewed = self
            .store
            .renew_listener(self.record, now, now.plus(LISTENER_TTL));
        Ok(renewed.await?)
    }
}

impl Drop for EventListener {
    fn drop(&mut self) {
        let (store, record) = (Arc::clone(&self.store), self.record);
        self.unattended.spawn(async move {
            // One that cannot be removed expires by itself.
            store.remove_listener(record).await.ok();
        });
    }
}
