//! What tools are called with, where no endpoint has the same body.

use hato_domain::wire::{ListEntries, NamedKey};
use hato_domain::{ErrorCode, PageRequest};
use serde::de::DeserializeOwned;

/// Arguments as the wire type that the endpoint reads, by the same rules.
pub fn read<T: DeserializeOwned>(arguments: &str) -> Result<T, ErrorCode> {
    hato_domain::wire::read(arguments.as_bytes())
}

/// The page that is asked for.
pub fn page(arguments: &str) -> Result<PageRequest, ErrorCode> {
    let members: ListEntries = read(arguments)?;
    let text = |number: Option<i64>| number.map(|number| number.to_string());
    let (limit, before) = (text(members.limit), text(members.before));
    let before_id = members.before_id.as_deref();
    PageRequest::parse(limit.as_deref(), before.as_deref(), before_id)
}

/// The id of the key that is meant, unchecked.
pub fn key_id(arguments: &str) -> Result<String, ErrorCode> {
    let named: NamedKey = read(arguments)?;
    named.key_id.ok_or(ErrorCode::MissingFields)
}
