//! Whether the process lives and its database answers (CONTRACT 1).

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use hato_domain::UnixMillis;
use hato_service::Service;
use http::StatusCode;
use tokio::sync::Mutex;

/// How long the database may take to give a sign of life.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// For how long everybody is told what one check has found: a check opens the database anew, which strangers must not have done as
/// often as they ask.
const READINESS_TTL: Duration = Duration::from_secs(1);

/// `GET /healthz` and `GET /readyz`.
pub fn routes<S: Clone + Send + Sync + 'static>(service: Arc<Service>) -> Router<S> {
    let readiness = Readiness {
        service,
        last_check: Mutex::default(),
    };
    Router::new()
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .with_state(Arc::new(readiness))
}

async fn live() -> &'static str {
    "ok"
}

async fn ready(State(readiness): State<Arc<Readiness>>) -> (StatusCode, &'static str) {
    if readiness.is_ready().await {
        (StatusCode::OK, "ready")
    } else {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer",
        )
    }
}

/// Whether the database answers, as of the last check.
struct Readiness {
    service: Arc<Service>,
    /// Locked during a check, so that those who ask meanwhile wait for what it finds.
    last_check: Mutex<Option<CachedReadiness>>,
}

#[derive(Clone, Copy)]
struct CachedReadiness {
    at: UnixMillis,
    is_ready: bool,
}

impl Readiness {
    async fn is_ready(&self) -> bool {
        let mut last_check = self.last_check.lock().await;
        let now = self.service.now();
        if let Some(check) = last_check.filter(|check| check.is_fresh(now)) {
            return check.is_ready;
        }
        let checking = tokio::time::timeout(READY_TIMEOUT, self.service.is_ready());
        let is_ready = checking.await.unwrap_or(false);
        let at = self.service.now();
        *last_check = Some(CachedReadiness { at, is_ready });
        is_ready
    }
}

impl CachedReadiness {
    /// Not when the clock was set back.
    fn is_fresh(self, now: UnixMillis) -> bool {
        self.at <= now && now.since(self.at) < READINESS_TTL
    }
}

#[cfg(test)]
#[path = "health/tests.rs"]
mod tests;
