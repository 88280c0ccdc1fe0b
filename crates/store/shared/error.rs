//! Errors of the database as the ports return them, and lists as statements take them.

use std::error::Error;
use std::sync::Arc;

use hato_service::ports::StoreError;
use serde::Serialize;

use crate::failure::{WriteError, is_locked_out, is_without_connection};

/// Says what was being done when it failed.
pub(crate) fn with_context<E>(context: &'static str) -> impl FnOnce(E) -> StoreError
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    move |cause| {
        let source = cause.into();
        StoreError {
            context,
            is_overload: database_error(&*source)
                .is_some_and(|error| is_locked_out(error) || is_without_connection(error)),
            source,
        }
    }
}

/// What the database said, if that is why nothing was done.
fn database_error<'a>(cause: &'a (dyn Error + Send + Sync + 'static)) -> Option<&'a sqlx::Error> {
    let shared = cause.downcast_ref::<Arc<WriteError>>();
    let write = shared.map(Arc::as_ref).or_else(|| cause.downcast_ref());
    match write {
        Some(error) => error.undone_by(),
        None => cause.downcast_ref(),
    }
}

/// The database holds something that this program never wrote.
pub(crate) fn decode_error(what: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(format!("corrupt {what}").into())
}

/// A value as a column holds it, or a list as a statement takes it in one parameter: JSON.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> sqlx::Result<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

/// Whether the row holds something that this program never wrote, so that reading it again would fail again.
pub(crate) fn is_unreadable(error: &sqlx::Error) -> bool {
    use sqlx::Error::{ColumnDecode, Decode, RowNotFound};
    matches!(error, ColumnDecode { .. } | Decode(_) | RowNotFound)
}
