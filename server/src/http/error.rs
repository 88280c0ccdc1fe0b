//! The one way from a refusal to a response (SPEC 7): status, error body, `Retry-After`; the cause goes to the log alone.
//!
//! Only a request that cannot be read as HTTP gets its answer elsewhere, with the same body: `connections/error_body_stream.rs`.

use std::any::Any;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hato_app::RefusalCode;
use hato_domain::ErrorCode;
use hato_domain::wire::ErrorBody;
use hato_service::ServiceError;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::logging;
use crate::state::AppState;

/// What a handler or an extractor returns: its value, or the refusal that the client is answered.
pub type ApiResult<T> = Result<T, ApiError>;

/// A refusal or a failure on its way to the client.
#[derive(Debug)]
pub struct ApiError(ServiceError);

/// Marks a refusal whose body is yet to be written, where the settings are known. Its code is the [`RefusalCode`] beside this.
#[derive(Clone, Copy, Debug)]
struct UnwrittenBody;

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        Self(error)
    }
}

impl From<ErrorCode> for ApiError {
    fn from(code: ErrorCode) -> Self {
        Self(code.into())
    }
}

impl ApiError {
    /// What the client is told; the cause goes to the log.
    pub fn code(&self) -> ErrorCode {
        let code = self.0.code();
        if let Some(cause) = self.0.cause() {
            tracing::error!(%code, error = %logging::with_causes(cause), "a request failed");
        }
        code
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.code();
        let status = StatusCode::from_u16(code.status());
        let mut response = status
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            .into_response();
        response.extensions_mut().insert(RefusalCode(code));
        response.extensions_mut().insert(UnwrittenBody);
        set_error_headers(response.headers_mut(), code);
        response
    }
}

/// The headers that come with a code, whatever the body.
pub fn set_error_headers(headers: &mut HeaderMap, code: ErrorCode) {
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = code.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// The code of a refusal whose body is yet to be written; the dashboard's own refusals have theirs.
pub fn unwritten_refusal(response: &Response) -> Option<ErrorCode> {
    response.extensions().get::<UnwrittenBody>()?;
    response.extensions().get().map(|RefusalCode(code)| *code)
}

/// Middleware: writes the error body of every refusal. A page that explains one (`dashboard::into_error_page`) was made further
/// inside and is a response of its own, without the mark.
pub async fn write_bodies(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let Some(code) = unwritten_refusal(&response) else {
        return response;
    };
    let (mut parts, _) = response.into_parts();
    // That of the body that is replaced.
    parts.headers.remove(CONTENT_LENGTH);
    (parts, axum::Json(body(code, &state.pricing_url))).into_response()
}

/// The error body of a code (SPEC 7).
pub fn body(code: ErrorCode, pricing_url: &str) -> ErrorBody {
    ErrorBody {
        error: code.message().to_owned(),
        code: code.as_str().to_owned(),
        upgrade_url: code.has_upgrade_url().then(|| pricing_url.to_owned()),
    }
}

/// The response to a path that does not exist.
pub async fn unknown_path() -> ApiError {
    ErrorCode::NotFound.into()
}

/// The response to a method that a path does not have; axum adds `Allow`.
pub async fn wrong_method() -> ApiError {
    ErrorCode::MethodNotAllowed.into()
}

/// The response to a request whose handler panicked, as the router's `CatchPanicLayer` asks for it. Where that was is in the log
/// already (`logging.rs`); what the panic says may hold anybody's data.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    drop(panic);
    ApiError::from(ErrorCode::InternalError).into_response()
}

#[cfg(test)]
mod tests {
    use hato_domain::ErrorCode;

    use super::{Any, RefusalCode, panicked};

    #[test]
    fn a_panic_tells_the_client_nothing_of_the_inside() {
        let panics: [Box<dyn Any + Send>; 2] = [Box::new("inside"), Box::new("inside".to_owned())];
        for panic in panics {
            let response = panicked(panic);
            let code = response.extensions().get().map(|RefusalCode(code)| *code);
            assert_eq!(code, Some(ErrorCode::InternalError));
            assert_eq!(response.status(), 500);
            assert!(!format!("{response:?}").contains("inside"));
        }
    }
}
