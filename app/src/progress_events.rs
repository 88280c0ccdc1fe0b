//! How far a send is, as server-sent events for its page: each is the page's part anew, whenever something has changed.
//!
//! Whoever listens holds a connection, so an account may hold few of them and everybody together not too many, and none
//! lasts long: the browser comes back by itself, and is asked again who it is.

mod limiter;
mod rate_meter;

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
use leptos::prelude::{IntoAny as _, Owner, RenderHtml as _, view};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use self::limiter::{SseLimiter, SsePermit};
use self::rate_meter::RateMeter;
use crate::i18n::Texts;
use crate::language::Lang;
use crate::pages::{Progress, SendSnapshot};
use crate::{AppContext, headers, session_cookie};

/// How long a connection lasts; the browser opens the next one by itself.
const MAX_CONNECTION_AGE: Duration = Duration::from_mins(2);

/// The time between two queries of the send.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

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
}

/// The path of the events.
pub fn routes(context: AppContext) -> Router {
    let limiter = Arc::default();
    Router::new()
        .route("/apps/{app}/sends/{send}/events", get(events))
        .layer(axum::middleware::map_response(headers::add_defaults))
        .with_state(SseState { context, limiter })
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
    service.sent(&access, &send).await?;
    let permit = state.limiter.acquire(owner.id());
    Ok(ProgressStream {
        service,
        session,
        access,
        send,
        texts: Texts::for_language(Lang::from_headers(headers)),
        draining: draining.unwrap_or_default(),
        until: Instant::now() + MAX_CONNECTION_AGE,
        rate_meter: RateMeter::default(),
        last: String::new(),
        is_over: false,
        _permit: permit.ok_or(ErrorCode::RateLimited)?,
    })
}

/// The events of one connection.
struct ProgressStream {
    service: Arc<Service>,
    /// The token of the session, which must stay alive while the connection lasts.
    session: String,
    access: MayManage,
    send: String,
    texts: &'static Texts,
    draining: CancellationToken,
    until: Instant,
    rate_meter: RateMeter,
    last: String,
    is_over: bool,
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
        while !self.is_over && Instant::now() < self.until {
            if !self.last.is_empty() {
                self.draining
                    .run_until_cancelled(sleep(POLL_INTERVAL))
                    .await?;
            }
            let html = self.render().await.ok()?;
            if html != self.last {
                self.last.clone_from(&html);
                return Some(html);
            }
        }
        None
    }

    async fn render(&mut self) -> ServiceResult<String> {
        self.service.require_live_session(&self.session).await?;
        let send = self.service.sent(&self.access, &self.send).await?;
        let snapshot = SendSnapshot::load(&self.service, &self.access, send).await?;
        self.is_over = !snapshot.is_running();
        let rate = self.rate_meter.measure(Instant::now(), snapshot.settled());
        let snapshot = snapshot.with_rate(rate.filter(|_| !self.is_over));
        let texts = &self.texts.app;
        Ok(Owner::new().with(|| view! { <Progress texts snapshot /> }.into_any().to_html()))
    }
}
