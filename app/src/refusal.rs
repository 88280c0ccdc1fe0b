//! The code with which a request is refused, on its way from the page or the form to the server's log.
//!
//! Leptos makes a response of a page and keeps of it a status and headers. The code takes another way: a cell among the extensions of
//! the request, out of which it goes into those of the response.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use hato_domain::ErrorCode;

/// Among the extensions of a response: the code with which it refuses, for the log (CONTRACT 2).
#[derive(Clone, Copy, Debug)]
pub struct RefusalCode(pub ErrorCode);

/// The code of a request's refusal, written while its response is made.
#[derive(Clone, Debug, Default)]
pub struct RefusalCell(Arc<OnceLock<ErrorCode>>);

impl RefusalCell {
    /// Writes the code; the first one counts.
    pub fn set(&self, code: ErrorCode) {
        let _ = self.0.set(code);
    }

    /// The code that was written first.
    pub fn code(&self) -> Option<ErrorCode> {
        self.0.get().copied()
    }
}

/// Middleware: marks the response with the code that was written while it was made.
pub async fn mark(mut request: Request, next: Next) -> Response {
    let cell = RefusalCell::default();
    request.extensions_mut().insert(cell.clone());
    let mut response = next.run(request).await;
    if let Some(code) = cell.code() {
        response.extensions_mut().insert(RefusalCode(code));
    }
    response
}
