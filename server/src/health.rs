//! Whether the process lives and its database answers (CONTRACT 1).

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use hato_service::Service;
use http::StatusCode;

/// How long the database may take to give a sign of life.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// `GET /healthz` and `GET /readyz`.
pub fn routes<S: Clone + Send + Sync + 'static>(service: Arc<Service>) -> Router<S> {
    Router::new()
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .with_state(service)
}

async fn live() -> &'static str {
    "ok"
}

async fn ready(State(service): State<Arc<Service>>) -> (StatusCode, &'static str) {
    match tokio::time::timeout(READY_TIMEOUT, service.is_ready()).await {
        Ok(true) => (StatusCode::OK, "ready"),
        Ok(false) | Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer",
        ),
    }
}
