//! What is counted, in the text format of Prometheus (CONTRACT 1, `HATO_METRICS_LISTEN`).
//!
//! Without that setting nothing is recorded and no middleware runs. Labels come from a fixed set: the template of a route,
//! never the path that was asked for; of push services, the 20 that matter most.

mod moment;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hato_delivery::metrics::DELIVERY_DELAY;
use hato_domain::UnixMillis;
use hato_store::metrics::COMMIT_DURATION;
use http::header::CONTENT_TYPE;
use metrics::{SetRecorderError, counter, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;

use crate::backup;
use crate::connections::{self, ConnectionSettings};
use crate::http::{request_id, request_labels};

pub use moment::Observed;

const REQUESTS: &str = "hato_http_requests_total";
const DURATION: &str = "hato_http_request_duration_seconds";
const START: &str = "process_start_time_seconds";
const BUILD: &str = "hato_build_info";

/// The upper bounds of the durations, in seconds: from what a cached answer takes to what is a time-out elsewhere.
const BUCKETS: [f64; 7] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];
/// The same from a send's acceptance to a delivery, which waits for retries and, when it is paced, for its turn.
const DELAY_BUCKETS: [f64; 9] = [0.1, 0.5, 2.5, 10.0, 30.0, 120.0, 600.0, 3_600.0, 21_600.0];
/// The same of a commit, which takes as long as the disk's fsync.
const COMMIT_BUCKETS: [f64; 7] = [0.000_1, 0.000_5, 0.002_5, 0.01, 0.05, 0.25, 1.0];
/// How often durations are put into their buckets; they wait in memory until then.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// The text format, version 0.0.4.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// The recorder cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Another recorder is there.
    #[error("metrics are recorded already")]
    AlreadyInstalled,
}

impl<R> From<SetRecorderError<R>> for MetricsError {
    fn from(_: SetRecorderError<R>) -> Self {
        Self::AlreadyInstalled
    }
}

/// What is recorded in this process, and where it can be read.
pub struct MetricsServer {
    listener: TcpListener,
    observed: Observed,
    handle: PrometheusHandle,
}

impl MetricsServer {
    /// Begins to record, for readers at `listener`; once in a process.
    pub fn start(
        listener: TcpListener,
        observed: Observed,
        now: UnixMillis,
    ) -> Result<Self, MetricsError> {
        let only = |name: &str| Matcher::Full(name.to_owned());
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)?
            .set_buckets_for_metric(only(DELIVERY_DELAY), &DELAY_BUCKETS)?
            .set_buckets_for_metric(only(COMMIT_DURATION), &COMMIT_BUCKETS)?
            .build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder)?;
        describe(now);
        Ok(Self {
            listener,
            observed,
            handle,
        })
    }

    /// Answers `GET /metrics`; dropping the future ends it.
    pub async fn serve(self) {
        let handle = self.handle.clone();
        let reader = Arc::new((self.observed, self.handle));
        let router = Router::new()
            .route("/metrics", get(scrape))
            .with_state(reader)
            .layer(from_fn(request_id::assign));
        tokio::select! {
            () = connections::serve(self.listener, router, CancellationToken::new(), ConnectionSettings::default()) => {}
            () = upkeep(handle) => {}
        }
    }
}

/// A router whose requests are counted by route.
pub fn with_metrics(router: Router) -> Router {
    router.layer(from_fn(record_request))
}

/// A router within another one's fallback, whose routes the outer one does not see: they go along with the responses.
pub fn with_matched_path(router: Router) -> Router {
    router.layer(from_fn(forward_matched_path))
}

/// What is there before anything happened, so that rates can be told from the first event on.
fn describe(now: UnixMillis) {
    metrics::describe_counter!(REQUESTS, "Requests by method, route and status");
    metrics::describe_histogram!(DURATION, "Time to answer requests, by route");
    metrics::describe_gauge!(START, "When the process started, in Unix seconds");
    metrics::describe_gauge!(BUILD, "1, with the version of the program");
    hato_delivery::metrics::describe();
    hato_service::metrics::describe();
    hato_store::metrics::describe();
    backup::describe();
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let seconds = u32::try_from(now.0 / 1_000).unwrap_or(u32::MAX);
    gauge!(START).set(f64::from(seconds));
}

async fn scrape(State(reader): State<Arc<(Observed, PrometheusHandle)>>) -> impl IntoResponse {
    let (observed, handle) = &*reader;
    let moment = observed.render().await;
    ([(CONTENT_TYPE, TEXT)], handle.render() + &moment)
}

async fn upkeep(handle: PrometheusHandle) {
    let mut ticks = interval(UPKEEP_INTERVAL);
    loop {
        ticks.tick().await;
        handle.run_upkeep();
    }
}

async fn record_request(request: Request, next: Next) -> Response {
    let method = request_labels::method(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let began = Instant::now();
    let response = next.run(request).await;
    let route = route.or_else(|| response.extensions().get().cloned());
    let route = route.map_or_else(|| "unmatched".to_owned(), |route| route.as_str().to_owned());
    let status = response.status().as_u16().to_string();
    histogram!(DURATION, "route" => route.clone()).record(began.elapsed());
    counter!(REQUESTS, "method" => method, "route" => route, "status" => status).increment(1);
    response
}

async fn forward_matched_path(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}
