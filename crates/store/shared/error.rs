//! Errors of the database as the ports return them.

use std::error::Error;

use hato_service::ports::StoreError;

/// Says what was being done when it failed.
pub(crate) fn with_context<E>(context: &'static str) -> impl FnOnce(E) -> StoreError
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    move |cause| StoreError {
        context,
        source: cause.into(),
    }
}

/// The database holds something that this program never wrote.
pub(crate) fn decode_error(what: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(format!("corrupt {what}").into())
}
