//! Why a use case refused or failed: a code for the client, and a cause for the log alone.

use std::error::Error;

use hato_domain::{ErrorCode, RegistrationFault};

use crate::ports::StoreError;

/// What a use case returns.
pub type ServiceResult<T> = Result<T, ServiceError>;

/// Why a use case did not do what it was asked: the code that the client is told, and the cause for the log.
#[derive(Debug)]
pub struct ServiceError {
    code: ErrorCode,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl ServiceError {
    /// Something unforeseen: `INTERNAL_ERROR`, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            code: ErrorCode::InternalError,
            cause: Some(cause.into()),
        }
    }

    /// A refusal whose cause the log should have.
    pub fn caused_by(code: ErrorCode, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = Some(cause.into());
        Self { code, cause }
    }

    /// The code of the error body that the client gets.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Whether logging in would help: there was no session, or it is over.
    pub fn is_logged_out(&self) -> bool {
        matches!(
            self.code,
            ErrorCode::Unauthorized | ErrorCode::InvalidSession
        )
    }

    /// What went wrong underneath; `None` for a refusal, which is nobody's fault here.
    pub fn cause(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }
}

/// Refuses with `NOT_FOUND` unless the store found what it was to change.
pub(crate) fn found(is_there: bool) -> ServiceResult<()> {
    is_there.then_some(()).ok_or(ErrorCode::NotFound.into())
}

impl From<ErrorCode> for ServiceError {
    fn from(code: ErrorCode) -> Self {
        Self { code, cause: None }
    }
}

impl From<RegistrationFault> for ServiceError {
    fn from(fault: RegistrationFault) -> Self {
        fault.code().into()
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        let code = if error.is_overload {
            ErrorCode::Overloaded
        } else {
            ErrorCode::InternalError
        };
        Self::caused_by(code, error)
    }
}

impl std::fmt::Display for ServiceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.code.fmt(f)
    }
}

impl Error for ServiceError {}
