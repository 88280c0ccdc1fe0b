//! Bodies of requests while they arrive: in time, and no more of them than the memory for them holds (CONTRACT 18).

mod memory;

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hato_app::{MAX_FORM_BYTES, MAX_LIST_BYTES, takes_list};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use self::memory::{BodyMemory, HeldBytes};
use super::client_address::ClientInfo;

/// How long a list of subscribers may take: it is registered while it arrives.
const LIST_TIMEOUT: Duration = Duration::from_mins(5);

/// What a part of a body takes besides its bytes, at most: the list of the parts, and how memory is handed out. A client chooses how many
/// parts there are.
const PART_BYTES: usize = 64;

/// Lists of subscribers come in parts of this size at least, or leave less room for others.
const LIST_PART_BYTES: usize = 1_024;

/// Lists of the largest size that there is memory for.
const LISTS_AT_A_TIME: usize = 4;

/// Memory for bodies that are no lists. A client alone holds a third at most, in which the largest form with a picture has room: 8 MiB, and
/// what its parts take. With 32 MiB a server had 258 MB beside strangers, where 256 are the bar (`make soak`).
const SHARED_BYTES: usize = 26 * 1024 * 1024;

/// How long bodies may take, and how much memory there is for them in this process.
#[derive(Clone, Debug)]
pub struct BodyLimits {
    timeout: Duration,
    memory: Arc<BodyMemory>,
    /// What holds for lists of subscribers, whose memory is their own.
    lists: Option<Arc<BodyLimits>>,
}

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// All bodies together, or those of the client, are as large as they may be.
    #[error("there is no memory for the body")]
    NoMemory,
    /// It has taken longer than it may.
    #[error("the body does not arrive in time")]
    TimedOut,
}

impl Default for BodyLimits {
    fn default() -> Self {
        let part_bytes = MAX_LIST_BYTES / LIST_PART_BYTES * PART_BYTES;
        let list_bytes = LISTS_AT_A_TIME * (MAX_LIST_BYTES + part_bytes + MAX_FORM_BYTES);
        let lists = Self::new(LIST_TIMEOUT, BodyMemory::for_anybody(list_bytes));
        let memory = BodyMemory::shared_by_clients(SHARED_BYTES);
        Self {
            lists: Some(Arc::new(lists)),
            ..Self::new(Duration::from_secs(30), memory)
        }
    }
}

impl BodyLimits {
    /// Bodies take at most `timeout` each, and the memory that there is together.
    fn new(timeout: Duration, memory: BodyMemory) -> Self {
        Self {
            timeout,
            memory: Arc::new(memory),
            lists: None,
        }
    }

    /// The limits of what is posted to the path.
    fn of_path(&self, path: &str) -> &Self {
        let lists = self.lists.as_deref().filter(|_| takes_list(path));
        lists.unwrap_or(self)
    }
}

impl BodyError {
    /// The reason, if it is in `error` or behind it.
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut causes = std::iter::successors(Some(error), |&error| error.source());
        causes.find_map(|cause| cause.downcast_ref().copied())
    }
}

/// Middleware: whoever reads the body gets a [`BodyError`] when it takes too long, or no memory is left. What was read counts until
/// the response is there.
pub async fn bound(State(limits): State<BodyLimits>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let client = match ClientInfo::from_extensions(request.extensions()) {
        Ok(client) => client,
        Err(error) => return error.into_response(),
    };
    let limits = limits.of_path(request.uri().path());
    let held = Arc::new(HeldBytes::new(&limits.memory, client));
    let bounded = |body| BoundedBody {
        body,
        held: Arc::clone(&held),
        timeout: limits.timeout,
        deadline: None,
    };
    let response = next.run(request.map(|body| Body::new(bounded(body)))).await;
    drop(held);
    response
}

struct BoundedBody {
    body: Body,
    held: Arc<HeldBytes>,
    timeout: Duration,
    /// Begins with the first look for the body: how long it waits for that is not the client's doing.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl BoundedBody {
    /// The next frame, or that it is too late for one.
    fn poll_in_time(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let timeout = self.timeout;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Some(Err(axum::Error::new(BodyError::TimedOut))))
    }
}

impl HttpBody for BoundedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = match ready!(self.poll_in_time(context)) {
            Some(Ok(frame)) => frame,
            ended => return Poll::Ready(ended),
        };
        let Ok(part) = frame.into_data() else {
            // Trailers, which nobody asks for, are the end.
            return Poll::Ready(None);
        };
        if !self.held.take(part.len() + PART_BYTES) {
            return Poll::Ready(Some(Err(axum::Error::new(BodyError::NoMemory))));
        }
        // A copy, because the part may hold a buffer of the connection that is many times as large.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::Ipv4Addr;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use axum::Router;
    use axum::body::{Body, HttpBody};
    use axum::middleware::from_fn_with_state;
    use axum::response::Response;
    use axum::routing::post;
    use bytes::Bytes;
    use futures_util::stream;
    use hato_app::RefusalCode;
    use hato_domain::ErrorCode;
    use http::Request;
    use hyper::body::Frame;
    use serde_json::Value;
    use tokio::sync::Notify;
    use tokio::time::Instant;
    use tower::ServiceExt as _;

    use super::memory::BodyMemory;
    use super::{BodyLimits, PART_BYTES, bound};
    use crate::http::client_address::ClientInfo;
    use crate::http::json::ApiJson;

    /// A body that never comes.
    struct SilentBody;

    impl HttpBody for SilentBody {
        type Data = Bytes;
        type Error = axum::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
            Poll::Pending
        }
    }

    async fn ask(router: &Router, path: &str, body: Body) -> Response {
        let mut request = Request::new(body);
        *request.method_mut() = http::Method::POST;
        *request.uri_mut() = path.parse().expect("a path");
        request.extensions_mut().insert(ClientInfo {
            rate_limit_key: Ipv4Addr::LOCALHOST.into(),
            site: None,
            is_https: false,
        });
        let answered = router.clone().oneshot(request).await;
        answered.expect("it cannot fail")
    }

    fn code(response: &Response) -> Option<ErrorCode> {
        let refusal = response.extensions().get();
        refusal.map(|RefusalCode(code)| *code)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_30_seconds() {
        let router = Router::new()
            .route("/", post(async |_: ApiJson<Value>| "ok"))
            .layer(from_fn_with_state(BodyLimits::default(), bound));
        let began = Instant::now();
        let refused = ask(&router, "/", Body::new(SilentBody)).await;
        assert_eq!(code(&refused), Some(ErrorCode::InvalidInput));
        assert_eq!(began.elapsed().as_secs(), 30);
        let taken = ask(&router, "/", Body::from("{}")).await;
        assert_eq!(taken.status(), 200);
    }

    #[tokio::test]
    async fn each_part_of_a_body_takes_memory() {
        let limits = BodyLimits::new(Duration::from_mins(1), BodyMemory::for_anybody(1_000));
        let router = Router::new()
            .route("/", post(async |_: ApiJson<Value>| "ok"))
            .layer(from_fn_with_state(limits, bound));
        let text = format!("{:100}", "{}");
        let parts = text.clone().into_bytes().into_iter();
        let parts = parts.map(|byte| Ok::<_, Infallible>(Bytes::copy_from_slice(&[byte])));
        let refused = ask(&router, "/", Body::from_stream(stream::iter(parts))).await;
        assert_eq!(code(&refused), Some(ErrorCode::Overloaded));
        assert_eq!(ask(&router, "/", Body::from(text)).await.status(), 200);
    }

    #[tokio::test]
    async fn what_is_held_takes_memory_until_the_answer() {
        let finish = Arc::new(Notify::new());
        let (reading, finished) = (Arc::new(Notify::new()), Arc::clone(&finish));
        let has_read = Arc::clone(&reading);
        let wait = async move |_: ApiJson<Value>| {
            has_read.notify_one();
            finished.notified().await;
            "ok"
        };
        let limits = BodyLimits::new(
            Duration::from_mins(1),
            BodyMemory::for_anybody(10 + 2 * PART_BYTES),
        );
        let router = Router::new()
            .route("/", post(async |_: ApiJson<Value>| "ok"))
            .route("/wait", post(wait))
            .layer(from_fn_with_state(limits, bound));
        let eight = || Body::from("{\"a\": 1}");
        let held = tokio::spawn({
            let router = router.clone();
            async move { ask(&router, "/wait", eight()).await }
        });
        reading.notified().await;
        let refused = ask(&router, "/", eight()).await;
        assert_eq!(code(&refused), Some(ErrorCode::Overloaded));
        let small = ask(&router, "/", Body::from("{}")).await;
        assert_eq!(small.status(), 200);
        finish.notify_one();
        assert_eq!(held.await.expect("no panic").status(), 200);
        assert_eq!(ask(&router, "/", eight()).await.status(), 200);
    }
}
