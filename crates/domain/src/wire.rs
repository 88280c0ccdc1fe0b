//! The JSON bodies of the API, requests and responses, as SPEC 4 and CONTRACT 4 show them.
//!
//! A request type only says what JSON is well-formed: unknown members are ignored, `null` and the empty string count as
//! absent (CONTRACT 2). What the values mean is judged where they become domain types.

use serde::de::DeserializeOwned;

use crate::ErrorCode;

mod member;
mod notify;
#[cfg(feature = "openapi")]
mod openapi_schema;
mod request;
mod response;
mod stats;
mod webhook;

pub use notify::{Notify, NotifyBatch};
pub use request::{
    CreateApp, CreateKey, Credentials, ListEntries, NamedKey, RegisterSubscription,
    RegistrationParts, Unsubscribe, UpdateApp,
};
pub use response::{
    Account, Acknowledged, Actor, ApiKey, App, AppUpdated, BatchAccepted, Cancelled, CreatedKey,
    DeadLetter, ErrorBody, HistoryItem, KeyEvent, Page, PublicKey, Registered, SendAccepted,
    SessionCreated, User,
};
pub use stats::{DailyStats, Stats};
pub use webhook::{EventBody, EventData, EventResult, Webhook};

/// Most bytes of a request body (CONTRACT 2).
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// Reads a request body: empty counts as `{}`; what is not JSON, not an object, or has a member of the wrong type is
/// `INVALID_INPUT` (CONTRACT 2).
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ErrorCode> {
    let body = body.trim_ascii();
    let body = if body.is_empty() { b"{}" } else { body };
    if body.first() != Some(&b'{') {
        return Err(ErrorCode::InvalidInput);
    }
    // Members that are ignored must be text as well: the parser would not look at their bytes.
    let text = std::str::from_utf8(body).map_err(|_| ErrorCode::InvalidInput)?;
    serde_json::from_str(text).map_err(|_| ErrorCode::InvalidInput)
}
