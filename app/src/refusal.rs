//! The code with which the dashboard refuses, on its way from the page or the form to the server's log.
//!
//! Leptos makes a response of a page and keeps of it a status and headers. The code takes another way: a slot among the extensions of
//! the request, out of which it goes into those of the response.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use hato_domain::ErrorCode;

/// Among the extensions of a response of the dashboard: what it refuses with, for the log (CONTRACT 2). The body is written already.
#[derive(Clone, Copy, Debug)]
pub struct DashboardRefusal(pub ErrorCode);

/// Where a request's refusal is noted while its response is made.
#[derive(Clone, Debug, Default)]
pub struct RefusalSlot(Arc<OnceLock<ErrorCode>>);

impl RefusalSlot {
    /// Notes the code; the first one counts.
    pub fn note(&self, code: ErrorCode) {
        let _ = self.0.set(code);
    }

    /// The code that was noted.
    pub fn code(&self) -> Option<ErrorCode> {
        self.0.get().copied()
    }
}

/// Middleware: marks the response with what was noted while it was made.
pub async fn mark(mut request: Request, next: Next) -> Response {
    let slot = RefusalSlot::default();
    request.extensions_mut().insert(slot.clone());
    let mut response = next.run(request).await;
    if let Some(code) = slot.code() {
        response.extensions_mut().insert(DashboardRefusal(code));
    }
    response
}
