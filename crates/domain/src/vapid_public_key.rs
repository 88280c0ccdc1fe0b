//! The public half of an app's VAPID key pair (RFC 8292 §3.2).

use crate::ErrorCode;
use crate::browser_keys::decode;

/// An uncompressed point on P-256, 65 bytes, as browsers are given it. Whether it is a key of some app is the store's to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VapidPublicKey([u8; 65]);

impl VapidPublicKey {
    /// Reads it from base64url or base64, with or without padding; not 65 bytes: `INVALID_INPUT` (CONTRACT 16).
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        decode(text).map(Self)
    }

    /// The point on P-256, uncompressed (RFC 8292 §3.2).
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
