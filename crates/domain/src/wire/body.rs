//! How a request body is read.

use serde::de::DeserializeOwned;

use crate::ErrorCode;

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
