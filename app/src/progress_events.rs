//! How far a send is, as server-sent events for its page: each is the page's part anew, whenever something has changed.
//!
//! Whoever listens holds a connection, so an account may hold few of them and everybody together not too many, and none
//! lasts long: the browser comes back by itself, and is asked again who it is. However many listen to a send, it is read and its
//! part is made once for all of them.

mod limiter;
mod rate_meter;
mod shared_progress;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::{Stream, stream};
use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use hato_service::{Service, ServiceResult};
use http::{HeaderMap, StatusCode};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use self::limiter::{SseLimiter, SsePermit};
use self::shared_progress::{ProgressHub, ProgressView, SharedProgress};
use crate::language::Lang;
use crate::{AppContext, headers, session_cookie};

/// How long a connection lasts; the browser opens the next one by itself.
const MAX_CONNECTION_AGE: Duration = Duration::from_mins(2);

/// The time between two reads of a send.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long a session that has ended may be taken for alive while nothing changes.
const SESSION_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// For proxies that hold answers back until they have much of them.
const UNBUFFERED: [(&str, &str); 1] = [("x-accel-buffering", "no")];

/// Cancelled when the server drains: put into a request's extensions, it ends answers that would last longer.
#[derive(Clone)]
pub struct Draining(pub CancellationToken);

/// The state of the route.
#[derive(Clone)]
struct SseState {
    context: AppContext,
    limiter: Arc<SseLimiter>,
    hub: Arc<ProgressHub>,
}

/// The path of the events.
pub fn routes(context: AppContext) -> Router {
    let state = SseState {
        context,
        limiter: Arc::default(),
        hub: Arc::default(),
    };
    Router::new()
        .route("/apps/{app}/sends/{send}/events", get(events))
        .layer(axum::middleware::map_response(headers::add_defaults))
        .with_state(state)
}

async fn events(
    State(state): State<SseState>,
    Path((app, send)): Path<(String, String)>,
    draining: Option<Extension<Draining>>,
    headers: HeaderMap,
) -> Response {
    let draining = draining.map(|Extension(Draining(token))| token);
    match open_stream(&state, &app, send, draining, &headers).await {
        Ok(stream) => {
            let events = Sse::new(stream.into_events()).keep_alive(KeepAlive::default());
            (UNBUFFERED, events).into_response()
        }
        Err(failure) => error_response(failure.code()),
    }
}

/// The page asks for itself instead, less and less often.
fn error_response(code: ErrorCode) -> Response {
    let status = StatusCode::from_u16(code.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, code.as_str()).into_response()
}

/// The same checks as those of the page.
async fn open_stream(
    state: &SseState,
    app: &str,
    send: String,
    draining: Option<CancellationToken>,
    headers: &HeaderMap,
) -> ServiceResult<ProgressStream> {
    let service = Arc::clone(&state.context.service);
    let session = session_cookie::read(headers).ok_or(ErrorCode::Unauthorized)?;
    let owner = service.authenticate_session(&session).await?.owner;
    let access = service.manage(&owner, app).await?;
    let send = service.sent(&access, &send).await?;
    let permit = state.limiter.acquire(owner.id());
    let now = Instant::now();
    Ok(ProgressStream {
        service,
        session,
        access,
        progress: state.hub.join(send.id),
        language: Lang::from_headers(headers),
        draining: draining.unwrap_or_default(),
        until: now + MAX_CONNECTION_AGE,
        session_checked_at: now,
        last: None,
        _permit: permit.ok_or(ErrorCode::RateLimited)?,
    })
}

/// The events of one connection.
struct ProgressStream {
    service: Arc<Service>,
    /// The token of the session, which must stay alive while the connection lasts.
    session: String,
    access: MayManage,
    progress: Arc<SharedProgress>,
    language: Lang,
    draining: CancellationToken,
    until: Instant,
    session_checked_at: Instant,
    /// What was told last.
    last: Option<ProgressView>,
    _permit: SsePermit,
}

impl ProgressStream {
    fn into_events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let html = stream.next().await?;
            Some((Ok(Event::default().data(html)), stream))
        })
    }

    /// The page's part once it has changed; nothing when it will not, the session is over, or the connection has lasted
    /// long enough.
    async fn next(&mut self) -> Option<String> {
        while !self.is_over() && Instant::now() < self.until {
            if self.last.is_some() {
                self.draining
                    .run_until_cancelled(sleep(POLL_INTERVAL))
                    .await?;
            }
            let view = self.view().await.ok()?;
            if self.last.as_ref().is_none_or(|last| last.html != view.html) {
                let html = view.html.to_string();
                self.last = Some(view);
                return Some(html);
            }
        }
        None
    }

    fn is_over(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.is_over)
    }

    /// What the page's part is now, for a session that is still alive.
    async fn view(&mut self) -> ServiceResult<ProgressView> {
        let progress = &self.progress;
        let view = progress.view(&self.service, &self.access, self.language);
        let view = view.await?;
        let is_news = self.last.as_ref().is_none_or(|last| last.html != view.html);
        if is_news || self.session_checked_at.elapsed() >= SESSION_CHECK_INTERVAL {
            self.service.require_live_session(&self.session).await?;
            self.session_checked_at = Instant::now();
        }
        Ok(view)
    }
}
