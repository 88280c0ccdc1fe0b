//! Values as statements take them and columns hold them.

use std::collections::BTreeMap;

use hato_domain::{Endpoint, Plan, Tag, Tags};
use hato_service::ports::RecipientId;
use sha2::{Digest as _, Sha256};

use crate::error::{decode_error, json};

/// Recipients as a job and the statements take them: a JSON array of subscription numbers.
pub(crate) fn recipient_list(recipients: &[RecipientId]) -> sqlx::Result<String> {
    let numbers: Vec<i64> = recipients.iter().map(|recipient| recipient.0).collect();
    number_list(&numbers)
}

/// Subscription numbers as a job and the statements take them: a JSON array.
pub(crate) fn number_list(numbers: &[i64]) -> sqlx::Result<String> {
    json(numbers)
}

pub(crate) fn count_i64(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Bytes as statements take them in a list.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]));
    digits.collect()
}

/// By which an endpoint of up to 2,048 bytes is indexed.
pub(crate) fn endpoint_hash(endpoint: &Endpoint) -> [u8; 32] {
    Sha256::digest(endpoint.as_str()).into()
}

/// The hash by which a list names an endpoint.
pub(crate) fn hexadecimal_hash(endpoint: &Endpoint) -> String {
    hexadecimal(&endpoint_hash(endpoint))
}

/// Tags as a statement takes them, which stores NULL in the place of an empty list.
pub(crate) fn stored_tags(tags: &Tags) -> sqlx::Result<String> {
    json(&tags.iter().map(Tag::as_str).collect::<Vec<_>>())
}

/// Tags as their column holds them.
pub(crate) fn parse_tags(stored: Option<&str>) -> sqlx::Result<Tags> {
    let Some(stored) = stored else {
        return Ok(Tags::default());
    };
    let tags: Vec<String> = serde_json::from_str(stored).map_err(|_| decode_error("tags"))?;
    Ok(Tags::trusted(tags))
}

/// The plan that this text stands for.
pub(crate) fn parse_plan(text: &str) -> sqlx::Result<Plan> {
    Plan::parse(text).map_err(|_| decode_error("plan"))
}

/// Clicks by action as they are stored.
pub(crate) fn parse_clicks(stored: Option<&str>) -> sqlx::Result<BTreeMap<String, i64>> {
    let read = stored.map(serde_json::from_str).transpose();
    read.map(Option::unwrap_or_default)
        .map_err(|_| decode_error("clicks"))
}
