//! An app's events as they are written, without a webhook (CONTRACT 16).
//!
//! A response holds few things: a place among the app's listeners, which it renews, and a page of events. It goes on only while its
//! client takes what there is: who takes nothing loses the place, and then the response ends.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts as _, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, stream};
use hato_app::Draining;
use hato_domain::ErrorCode;
use hato_service::{EventListener, ListenerEvent};
use http::request::Parts;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::http::access::{ManageAccess, NoSecret};
use crate::http::error::{ApiError, ApiResult};
use crate::state::AppState;

/// Most responses of a process that stream events.
pub const MAX_EVENT_STREAMS: usize = 250;

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
    let listener = state.service.listen(&access).await?;
    let draining = parts.extensions.get::<Draining>();
    let stream = EventStream {
        draining: draining.map_or_else(CancellationToken::new, |it| it.0.clone()),
        state,
        parts,
        listener,
        waiting: VecDeque::new(),
        has_begun: false,
        renewed_at: Instant::now(),
        _permit: permit,
    };
    let events = Sse::new(stream.into_events()).keep_alive(KeepAlive::default());
    Ok((UNBUFFERED, events).into_response())
}

/// What one response goes on with.
struct EventStream {
    state: AppState,
    /// The request, whose credential must stay good while the response lasts.
    parts: Parts,
    listener: EventListener,
    /// Events that were read and not handed over.
    waiting: VecDeque<ListenerEvent>,
    has_begun: bool,
    renewed_at: Instant,
    draining: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl EventStream {
    fn into_events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let event = stream.next().await?;
            Some((Ok(event), stream))
        })
    }

    /// The next event; nothing when the server drains, the credential is good no more, or the client takes too little. The beginning
    /// is a comment, which tells the client that it misses nothing from now on.
    async fn next(&mut self) -> Option<Event> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(Event::default().comment("listening"));
        }
        while !self.draining.is_cancelled() {
            if let Some(event) = self.waiting.pop_front() {
                return Some(Event::default().id(event.id.as_str()).data(event.body));
            }
            let read = self.read().await;
            // The cause goes to the log.
            let is_news = read.map_err(|error| error.code()).ok()??;
            if !is_news {
                let draining = self.draining.clone();
                draining.run_until_cancelled(sleep(POLL_INTERVAL)).await?;
            }
        }
        None
    }

    /// Reads the next events, and says whether there are some; `None` when the listener is none any more.
    async fn read(&mut self) -> ApiResult<Option<bool>> {
        if self.renewed_at.elapsed() >= RENEWAL_INTERVAL {
            self.require_access().await?;
            if !self.listener.renew().await? {
                return Ok(None);
            }
            self.renewed_at = Instant::now();
        }
        let Some(events) = self.listener.next_events().await? else {
            return Ok(None);
        };
        if !events.is_empty() {
            self.require_access().await?;
        }
        self.waiting = events.into();
        Ok(Some(!self.waiting.is_empty()))
    }

    /// The same checks as in the beginning.
    async fn require_access(&mut self) -> Result<(), ApiError> {
        let access = ManageAccess::<NoSecret>::from_request_parts(&mut self.parts, &self.state);
        access.await.map(drop)
    }
}
