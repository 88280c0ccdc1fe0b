//! An app's events as they are written, without a webhook (CONTRACT 16).
//!
//! A response holds few things: a place among the app's listeners, which it renews, some events as they are stored, and the body of the one
//! that is written. It goes on only while its client takes what there is: who takes too little loses the place, and with it the connection,
//! for hyper asks for nothing more until it has written what it has.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, stream};
use hato_app::Draining;
use hato_domain::ErrorCode;
use hato_service::ports::WebhookEvent;
use hato_service::{EventListener, LISTENER_TTL, ReservedBodyMemory, max_event_body_memory};
use http::request::Parts;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::connections::AbortConnection;
use crate::http::access::{LastingAccess, ManageAccess};
use crate::http::error::ApiResult;
use crate::state::AppState;

/// Most responses of a process that stream events.
pub const MAX_EVENT_STREAMS: usize = 250;

/// Most bytes that the bodies of all their events take together while they are made and written.
pub const MAX_BODY_BYTES: usize = 24 * 1_024 * 1_024;

/// The time between two looks for events.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The time between two renewals, of which a listener may miss two. A credential that is good no more ends the response by then.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(5);

/// For proxies that hold answers back until they have much of them.
const UNBUFFERED: [(&str, &str); 1] = [("x-accel-buffering", "no")];

/// `GET /api/v1/apps/{appId}/events/stream`: the bodies that a webhook would get, from now on, as server-sent events.
pub async fn stream_events(
    State(state): State<AppState>,
    ManageAccess { access, .. }: ManageAccess,
    parts: Parts,
) -> ApiResult<Response> {
    let permit = Arc::clone(&state.event_streams).try_acquire_owned();
    let permit = permit.map_err(|_| ErrorCode::Overloaded)?;
    let renewed_at = Instant::now();
    let listener = state.service.listen(&access).await?;
    let draining = parts.extensions.get::<Draining>();
    let connection = parts.extensions.get::<AbortConnection>();
    let connection = connection.cloned().unwrap_or_default();
    let stream = EventStream {
        draining: draining.map_or_else(CancellationToken::new, |it| it.0.clone()),
        state,
        access: LastingAccess::new(parts)?,
        listener,
        waiting: VecDeque::new(),
        body_memory: None,
        has_begun: false,
        renewed_at,
        place_end: abort_at(renewed_at + LISTENER_TTL, &connection),
        connection,
        _permit: permit,
    };
    let events = Sse::new(stream.into_events()).keep_alive(KeepAlive::default());
    Ok((UNBUFFERED, events).into_response())
}

/// Ends the connection at that time, unless this is dropped before.
fn abort_at(time: Instant, connection: &AbortConnection) -> AbortOnDropHandle<()> {
    let connection = connection.clone();
    AbortOnDropHandle::new(tokio::spawn(async move {
        sleep_until(time).await;
        connection.0.cancel();
    }))
}

/// What one response goes on with.
struct EventStream {
    state: AppState,
    access: LastingAccess,
    listener: EventListener,
    /// Events that were read and not written.
    waiting: VecDeque<WebhookEvent>,
    /// What the body takes that is written: the next event is asked for when hyper has all of it.
    body_memory: Option<ReservedBodyMemory>,
    has_begun: bool,
    renewed_at: Instant,
    /// Ends the connection when the place is lost.
    place_end: AbortOnDropHandle<()>,
    connection: AbortConnection,
    draining: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl EventStream {
    fn into_events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let draining = stream.draining.clone();
            let event = draining.run_until_cancelled(stream.next()).await??;
            Some((Ok(event), stream))
        })
    }

    /// The next event; nothing when the credential is good no more, or the client takes too little. The beginning is a comment, which
    /// tells the client that it misses nothing from now on.
    async fn next(&mut self) -> Option<Event> {
        drop(self.body_memory.take());
        if !self.has_begun {
            self.has_begun = true;
            return Some(Event::default().comment("listening"));
        }
        // The cause goes to the log.
        let event = self.next_event().await;
        event.map_err(|error| error.code()).ok()?
    }

    /// The next event; `None` when the listener is none any more.
    async fn next_event(&mut self) -> ApiResult<Option<Event>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return self.write(&event).await;
            }
            if !self.stay().await? {
                return Ok(None);
            }
            self.waiting = self.listener.next_events().await?.into();
            if self.waiting.is_empty() {
                sleep(POLL_INTERVAL).await;
            } else {
                self.access.check().await?;
            }
        }
    }

    /// The event with its body, once there is memory for it; `None` when the listener is none any more.
    async fn write(&mut self, event: &WebhookEvent) -> ApiResult<Option<Event>> {
        let Some(mut memory) = self.reserve_memory(event).await? else {
            return Ok(None);
        };
        let Some(body) = self.listener.body(event).await? else {
            return Ok(None);
        };
        let bytes = body.len();
        let event = Event::default().id(event.id.as_str()).data(body);
        // It is in a buffer that doubles when it is full.
        memory.shrink_to(2 * bytes);
        self.body_memory = Some(memory);
        Ok(Some(event))
    }

    /// Memory for the event's body, once there is; `None` when the listener is none any more. The last renewal is no older than
    /// [`RENEWAL_INTERVAL`] then.
    async fn reserve_memory(
        &mut self,
        event: &WebhookEvent,
    ) -> ApiResult<Option<ReservedBodyMemory>> {
        let state = Arc::clone(&self.state);
        let bytes = max_event_body_memory(&event.content);
        let mut reserving = pin!(state.event_body_memory.reserve(bytes));
        while self.stay().await? {
            let next_renewal = self.renewed_at + RENEWAL_INTERVAL;
            if let Ok(memory) = timeout_at(next_renewal, reserving.as_mut()).await {
                return Ok(Some(memory));
            }
        }
        Ok(None)
    }

    /// Checks the credential again and renews the place, when that is due; `false` when the place was lost.
    async fn stay(&mut self) -> ApiResult<bool> {
        if self.renewed_at.elapsed() < RENEWAL_INTERVAL {
            return Ok(true);
        }
        self.access.check().await?;
        let now = Instant::now();
        if !self.listener.renew().await? {
            return Ok(false);
        }
        self.place_end.abort();
        self.place_end = abort_at(now + LISTENER_TTL, &self.connection);
        self.renewed_at = now;
        Ok(true)
    }
}
