//! The headers of a push request (RFC 8030 §5).

use super::autopush_error::AutopushError;
use http::{HeaderMap, header::CONTENT_ENCODING};

/// The delivery options of one request.
pub(super) struct PushHeaders {
    pub(super) ttl: u64,
    pub(super) urgency: Option<String>,
    pub(super) topic: Option<String>,
}

impl PushHeaders {
    /// Reads TTL, Urgency, Topic and Content-Encoding, each present at most once.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, AutopushError> {
        if text(headers, CONTENT_ENCODING.as_str()) != Some("aes128gcm") {
            return Err(AutopushError::encoding("Content-Encoding is not aes128gcm"));
        }
        Ok(Self {
            ttl: ttl(headers)?,
            urgency: urgency(headers)?,
            topic: topic(headers)?,
        })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    // A repeated header reads as an empty one, which no rule accepts.
    Some(match values.next() {
        None => first.to_str().unwrap_or_default(),
        Some(_) => "",
    })
}

fn ttl(headers: &HeaderMap) -> Result<u64, AutopushError> {
    let value = text(headers, "ttl").ok_or_else(AutopushError::missing_ttl)?;
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = digits.then(|| value.parse().ok()).flatten();
    parsed.ok_or_else(AutopushError::invalid_ttl)
}

fn urgency(headers: &HeaderMap) -> Result<Option<String>, AutopushError> {
    match text(headers, "urgency") {
        None => Ok(None),
        Some(level @ ("very-low" | "low" | "normal" | "high")) => Ok(Some(level.to_owned())),
        Some(_) => Err(AutopushError::encoding("Invalid Urgency header")),
    }
}

fn topic(headers: &HeaderMap) -> Result<Option<String>, AutopushError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    match text(headers, "topic") {
        None => Ok(None),
        Some(topic) if (1..=32).contains(&topic.len()) && topic.bytes().all(allowed) => {
            Ok(Some(topic.to_owned()))
        }
        Some(_) => Err(AutopushError::topic()),
    }
}
